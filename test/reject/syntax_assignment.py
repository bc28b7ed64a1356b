import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n):
    if n = 1:
        tl.load(x_ptr) = n

# $ tessera compile syntax_assignment.py --kernel-name kernel --signature "*fp32,i32"
