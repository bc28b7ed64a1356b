#: A syntax error: a line that is indented for no reason.
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    x = tl.load(x_ptr)
      tl.store(x_ptr, x)

# $ tessera compile indent.py --kernel-name kernel --signature "*fp32"
# | indent.py:8:6: error: unexpected indent
# |       tl.store(x_ptr, x)
# |      ^
# = 1
