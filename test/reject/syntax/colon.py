#: A syntax error: a missing colon.
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n)
    if n > 0:
        tl.store(x_ptr, n)

# $ tessera compile colon.py --kernel-name kernel --signature "*fp32,i32"
# | colon.py:6:21: error: expected ':'
# | def kernel(x_ptr, n)
# |                     ^
# = 1
