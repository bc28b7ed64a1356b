"""v1_baseline: one program per row, the whole row in one tile.

A direct translation of the definition: the mean, the mean of the squared differences, the result. The row is read once, but a
program has always four warps, whatever the row's length: long rows spill registers.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import LayerNorm, as_matrix, prepare, statistics


@triton.jit
def layer_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n, x_stride, eps,
                      HAS_WEIGHT: tl.constexpr, HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(COMPUTE)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    y = centred * rstd
    if HAS_WEIGHT:
        y = y * tl.load(w_ptr + cols, mask=mask, other=0.0).to(COMPUTE)
    if HAS_BIAS:
        y = y + tl.load(b_ptr + cols, mask=mask, other=0.0).to(COMPUTE)
    tl.store(y_ptr + row * n + cols, y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


def forward(input, shape, weight, bias, eps):
    x, rows, n = as_matrix(input, shape)
    y = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    mean, rstd = statistics(x, rows)
    if n > 131072:
        raise NotImplementedError(f"layer_norm v1_baseline: a row has at most 131072 elements, got {n}")
    if y.numel():
        layer_norm_kernel[(rows,)](
            x, x if weight is None else weight.contiguous(), x if bias is None else bias.contiguous(), y, mean, rstd, n, x.stride(0), eps,
            HAS_WEIGHT=weight is not None, HAS_BIAS=bias is not None, COMPUTE=accumulator(x.dtype), BLOCK=triton.next_power_of_2(n))
    return y, mean, rstd


def triton_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return differentiable(LayerNorm, forward, *prepare(input, normalized_shape, weight, bias, eps))
