#: A syntax error: a docstring that is never closed.
"""This text never ends.

import triton

# $ tessera compile docstring.py --kernel-name kernel --signature "*fp32"
# | docstring.py:1:1: error: unterminated triple-quoted string literal (detected at line 3)
# | """This text never ends.
# | ^
# = 1
