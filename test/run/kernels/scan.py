"""Kernels that scan: whole algorithms made of running totals."""
import triton
import triton.language as tl


@triton.jit
def compose(scale1, shift1, scale2, shift2):
    """x -> scale1 * x + shift1, then x -> scale2 * x + shift2. Not commutative."""
    return scale1 * scale2, scale2 * shift1 + shift2


# signature: *fp32,*fp32,i32,1024
@triton.jit
def row_cumsum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Running sums of a row of any length: a block at a time, the total so far in hand."""
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
        tl.store(out_ptr + row * n + i, tl.cumsum(x, 0) + total, mask=i < n)
        total += tl.sum(x, 0)


# signature: *fp32,*fp32,*fp32,i32,64
@triton.jit
def recurrence(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """h[i] = a[i] * h[i - 1] + b[i], h[-1] = 0, by a scan of compositions."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + row * n + i, mask=i < n, other=1.0)
    b = tl.load(b_ptr + row * n + i, mask=i < n, other=0.0)
    _, h = tl.associative_scan((a, b), 0, compose)
    tl.store(out_ptr + row * n + i, h, mask=i < n)


# signature: *i32,*i32,*i32,i32,256
@triton.jit
def compact(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    """The positive elements of each block, moved to its front."""
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    keep = x > 0
    rank = tl.cumsum(keep.to(tl.int32), 0)
    tl.store(out_ptr + block * BLOCK + rank - 1, x, mask=keep)
    tl.store(count_ptr + block, tl.max(rank, 0))


# signature: *fp32,*fp32,131072
@triton.jit
def block_cumsum(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.cumsum(tl.load(x_ptr + i), 0))
