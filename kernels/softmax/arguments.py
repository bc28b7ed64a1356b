"""What all versions of softmax do with their arguments, and the gradient."""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, memory_order, normalize_dim, require_floating


def prepare(input, dim, dtype):
    """Returns the tensor to compute with and the dimension, counted from 0."""
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"softmax: input must be a tensor, got {type(input).__name__}")
    x = input if dtype is None else input.to(dtype)
    require_floating("softmax", input=x)
    return x, normalize_dim("softmax", dim, x.dim())


def split(shape, dim):
    """Returns (outer, n, inner): the sizes before the dimension, of it, and after it."""
    if len(shape) == 0:
        return 1, 1, 1
    return torch.Size(shape[:dim]).numel(), shape[dim], torch.Size(shape[dim + 1:]).numel()


def in_memory_order(x, dim):
    """Returns (x, dim, order) with the dimensions of x in the order of memory; a tensor with gaps is copied. The order is None if it
    is that of the dimensions."""
    order = None if x.is_contiguous() else memory_order(x)
    if order is None:
        return x.contiguous(), dim, None
    return x.permute(order), order.index(dim) if order else 0, order


def restore(y, order):
    """Returns the dimensions to the order they had before in_memory_order."""
    return y if order is None else y.permute([order.index(d) for d in range(len(order))])


@triton.jit
def gradient_kernel(y_ptr, g_ptr, out_ptr, n, inner, rows, COMPUTE: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_I: tl.constexpr):
    """dx = y * (g - sum(g * y)). A tile is [BLOCK_N, BLOCK_I]: elements of the dimension times neighbouring rows."""
    tiles = tl.cdiv(inner, BLOCK_I)
    outer = (tl.program_id(0) // tiles).to(tl.int64)
    i = tl.program_id(0) % tiles * BLOCK_I + tl.arange(0, BLOCK_I)
    k = tl.arange(0, BLOCK_N)
    start = outer * n * inner
    total = tl.zeros((BLOCK_N, BLOCK_I), COMPUTE)
    for first in range(0, n, BLOCK_N):
        mask = (first + k < n)[:, None] & (i < inner)[None, :]
        place = start + (first + k).to(tl.int64)[:, None] * inner + i[None, :]
        y = tl.load(y_ptr + place, mask=mask, other=0.0).to(COMPUTE)
        g = tl.load(g_ptr + place, mask=mask, other=0.0).to(COMPUTE)
        total += y * g
    dot = tl.sum(total, axis=0)
    for first in range(0, n, BLOCK_N):
        mask = (first + k < n)[:, None] & (i < inner)[None, :]
        place = start + (first + k).to(tl.int64)[:, None] * inner + i[None, :]
        y = tl.load(y_ptr + place, mask=mask, other=0.0).to(COMPUTE)
        g = tl.load(g_ptr + place, mask=mask, other=0.0).to(COMPUTE)
        tl.store(out_ptr + place, (y * (g - dot[None, :])).to(out_ptr.dtype.element_ty), mask=mask)


class Softmax(torch.autograd.Function):
    """Keeps the result alone: the gradient follows from it."""

    @staticmethod
    def forward(ctx, forward, x, dim):
        y = forward(x, dim)[0]
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, gradient):
        y = ctx.saved_tensors[0].contiguous()
        gradient = gradient.contiguous()
        out = torch.empty_like(y)
        outer, n, inner = split(y.shape, ctx.dim)
        if out.numel():
            block_i = min(triton.next_power_of_2(inner), 32)
            block_n = max(min(triton.next_power_of_2(n), 4096 // block_i), 1)
            gradient_kernel[(outer * triton.cdiv(inner, block_i),)](
                y, gradient, out, n, inner, outer * inner, COMPUTE=accumulator(y.dtype), BLOCK_N=block_n, BLOCK_I=block_i, num_warps=8)
        return None, out, None
