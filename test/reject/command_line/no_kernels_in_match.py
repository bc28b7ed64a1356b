#: A kernel that a 'match' of the top level hides.
import sys

import triton

match sys.platform:
    case "linux":
        @triton.jit
        def chosen(p):
            pass


# A kernel inside a 'match' of the top level, which only Python executes.
# $ tessera compile no_kernels_in_match.py -s "*i32"
# | no_kernels_in_match.py: error: the file has no function decorated with @triton.jit at its top level; 'chosen' (line 8) is inside a 'match', where only Python can reach it
# = 1
