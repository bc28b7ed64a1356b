"""v3_coalesced: whole rows in registers, wide accesses, as many warps as the row needs.

The row is read once again, as in v1, and the number of warps follows its length, so that each thread holds 8 to 32 elements in
16-byte accesses. Short rows share a program: a tile of several rows keeps all threads of a warp on neighbouring addresses.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import LayerNorm, as_matrix, prepare, statistics


@triton.jit
def layer_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n_rows, n, x_stride, eps, HAS_WEIGHT: tl.constexpr,
                      HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (row < n_rows)[:, None] & (cols < n)[None, :]
    x = tl.load(x_ptr + row[:, None] * x_stride + cols[None, :], mask=mask, other=0.0).to(COMPUTE)
    mean = tl.sum(x, axis=1) / n
    centred = tl.where(mask, x - mean[:, None], 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=1) / n + eps)
    y = centred * rstd[:, None]
    if HAS_WEIGHT:
        y = y * tl.load(w_ptr + cols, mask=cols < n, other=0.0).to(COMPUTE)[None, :]
    if HAS_BIAS:
        y = y + tl.load(b_ptr + cols, mask=cols < n, other=0.0).to(COMPUTE)[None, :]
    tl.store(y_ptr + row[:, None] * n + cols[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(mean_ptr + row, mean, mask=row < n_rows)
    tl.store(rstd_ptr + row, rstd, mask=row < n_rows)


def forward(input, shape, weight, bias, eps):
    x, rows, n = as_matrix(input, shape)
    y = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    mean, rstd = statistics(x, rows)
    block = triton.next_power_of_2(max(n, 1))
    if n > 131072:
        raise NotImplementedError(f"layer_norm v3_coalesced: a row has at most 131072 elements, got {n}")
    per_program = max(1024 // block, 1)
    warps = 4 if block <= 2048 else 8 if block <= 8192 else 16 if block <= 16384 else 32
    if y.numel():
        layer_norm_kernel[(triton.cdiv(rows, per_program),)](
            x, x if weight is None else weight.contiguous(), x if bias is None else bias.contiguous(), y, mean, rstd, rows, n, x.stride(0),
            eps, HAS_WEIGHT=weight is not None, HAS_BIAS=bias is not None, COMPUTE=accumulator(x.dtype), ROWS=per_program, BLOCK=block,
            num_warps=warps)
    return y, mean, rstd


def triton_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return differentiable(LayerNorm, forward, *prepare(input, normalized_shape, weight, bias, eps))
