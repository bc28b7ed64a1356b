#: A kernel that is made by 'async def'.
import triton
import triton.language as tl


@triton.jit
async def fill(x_ptr):
    tl.store(x_ptr, 1.0)

# $ tessera compile async_kernel.py --signature "*fp32"
# | async_kernel.py: error: the file has no function decorated with @triton.jit; 'fill' (line 6) is made by 'async def', and a kernel by 'def'
# = 1
