"""v3_coalesced: strided and broadcast arguments are read where they are, in the order of memory.

The result gets the layout of the first argument, and all dimensions that the three tensors can walk with one stride are merged.
Two transposed matrices are then one long vector again, and neighbouring threads read neighbouring addresses, 16 bytes each.
What is left (up to four dimensions) is indexed in the kernel; a broadcast dimension has stride 0 and comes from the cache.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, collapse, differentiable
from .arguments import Add, prepare


@triton.jit
def flat_kernel(x_ptr, y_ptr, out_ptr, n, alpha: tl.float64, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    # The tile's start goes into the pointers, so that the offsets within it are 32-bit and known to be contiguous.
    start = tl.program_id(0).to(tl.int64) * BLOCK
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n - start
    x = tl.load(x_ptr + start + offsets, mask=mask).to(COMPUTE)
    y = tl.load(y_ptr + start + offsets, mask=mask).to(COMPUTE)
    tl.store(out_ptr + start + offsets, (x + tl.cast(alpha, COMPUTE) * y).to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def strided_kernel(x_ptr, y_ptr, out_ptr, n, size1, size2, size3, alpha: tl.float64,
                   x0, x1, x2, x3, y0, y1, y2, y3, o0, o1, o2, o3, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    i3 = index % size3
    i2 = index // size3 % size2
    i1 = index // (size3 * size2) % size1
    i0 = index // (size3 * size2 * size1)
    x = tl.load(x_ptr + i0 * x0 + i1 * x1 + i2 * x2 + i3 * x3, mask=mask).to(COMPUTE)
    y = tl.load(y_ptr + i0 * y0 + i1 * y1 + i2 * y2 + i3 * y3, mask=mask).to(COMPUTE)
    out = (x + tl.cast(alpha, COMPUTE) * y).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + i0 * o0 + i1 * o1 + i2 * o2 + i3 * o3, out, mask=mask)


def forward(x, y, alpha):
    compute = accumulator(x.dtype) if x.is_floating_point() else tl.int64
    out = torch.empty_like(y if 0 in x.stride() else x)
    n = out.numel()
    if n == 0:
        return (out,)
    if x.is_contiguous() and y.is_contiguous():
        sizes, (o, a, b) = [n], ([1], [1], [1])
    else:
        sizes, (o, a, b) = collapse(out.shape, out.stride(), x.stride(), y.stride())
    if len(sizes) > 4:
        x, y, out = x.contiguous(), y.contiguous(), out.contiguous()
        sizes, (o, a, b) = [n], ([1], [1], [1])
    grid = (triton.cdiv(n, 1024),)
    if (o, a, b) == ([1], [1], [1]):
        flat_kernel[grid](x, y, out, n, float(alpha), COMPUTE=compute, BLOCK=1024)
    else:
        pad = 4 - len(sizes)
        o, a, b = ([0] * pad + list(s) for s in (o, a, b))
        sizes = [1] * pad + sizes
        strided_kernel[grid](x, y, out, n, *sizes[1:], float(alpha), *a, *b, *o, COMPUTE=compute, BLOCK=1024)
    return (out,)


def triton_add(input, other, *, alpha=1):
    """As torch.add."""
    return differentiable(Add, forward, *prepare(input, other, alpha))
