"""v1_baseline: one program per row, the whole row in one tile.

A direct translation of the definition: the mean of the squares, then the scaled row. The row is read once, but a program has
always four warps, whatever the row's length: long rows spill registers.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import RMSNorm, as_matrix, prepare, statistics


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, scale_ptr, n, x_stride, eps,
                    HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(COMPUTE)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / n + eps)
    y = x * scale
    if HAS_WEIGHT:
        y = y * tl.load(w_ptr + cols, mask=mask, other=0.0).to(COMPUTE)
    tl.store(y_ptr + row * n + cols, y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(scale_ptr + row, scale)


def forward(input, shape, weight, eps):
    x, rows, n = as_matrix(input, shape)
    y = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    scale = statistics(x, rows)
    if n > 131072:
        raise NotImplementedError(f"rms_norm v1_baseline: a row has at most 131072 elements, got {n}")
    if y.numel():
        rms_norm_kernel[(rows,)](x, x if weight is None else weight.contiguous(), y, scale, n, x.stride(0), eps,
                                 HAS_WEIGHT=weight is not None, COMPUTE=accumulator(x.dtype), BLOCK=triton.next_power_of_2(n))
    return y, scale


def triton_rms_norm(input, normalized_shape, weight=None, eps=None):
    """As torch.nn.functional.rms_norm."""
    return differentiable(RMSNorm, forward, *prepare(input, normalized_shape, weight, eps))
