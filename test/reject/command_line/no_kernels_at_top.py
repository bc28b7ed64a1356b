#: A kernel inside a function, where the command line cannot reach it.
import triton


def make():
    try:
        with open("source"):
            @triton.jit
            def hidden(p):
                pass
    except OSError:
        pass


# A kernel that only Python can reach is named, also inside 'try' and 'with'.
# $ tessera compile no_kernels_at_top.py -s "*i32"
# | no_kernels_at_top.py: error: the file has no function decorated with @triton.jit at its top level; 'hidden' (line 8) is inside the function 'make', where only Python can reach it
# = 1
