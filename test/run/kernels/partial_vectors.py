"""Masks that may end inside a vector: whole vectors are moved where they do not."""
import triton
import triton.language as tl


# signature: *fp32:16,*fp32:16,i32,i32,256
# signature: *i8:16,*i8:16,i32,i32,256
@triton.jit
def copy_row(x_ptr, out_ptr, n, n_stored, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=5)
    tl.store(out_ptr + offsets, x, mask=offsets < n_stored)


# signature: *fp16:16,*fp16:16,i32:16,i32,i32,32,64
@triton.jit
def copy_tile(x_ptr, out_ptr, stride, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    inside = (rows < M) & (columns < N)
    x = tl.load(x_ptr + rows * stride + columns, mask=inside, other=0.0)
    tl.store(out_ptr + rows * stride + columns, x * 2, mask=inside)


# signature: *fp32:16,*fp32:16,i32,256
@triton.jit
def sum_in_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr, tl.sum(total))
