#: A syntax error: a bracket that is never closed.
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr + (1, 2)
    tl.store(x_ptr, 1)

# An unclosed bracket points to where it opened.
# $ tessera compile bracket.py --kernel-name kernel --signature "*fp32"
# | bracket.py:7:28: error: '(' was never closed
# |     tl.store(x_ptr, tl.load(x_ptr + (1, 2)
# |                            ^
# = 1
