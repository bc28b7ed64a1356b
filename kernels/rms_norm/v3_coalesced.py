"""v3_coalesced: whole rows in registers, wide accesses, as many warps as the row needs.

The row is read once again, as in v1, and the number of warps follows its length, so that each thread holds 8 to 32 elements in
16-byte accesses. Short rows share a program: a tile of several rows keeps all threads of a warp on neighbouring addresses.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import RMSNorm, as_matrix, prepare, statistics


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, scale_ptr, n_rows, n, x_stride, eps,
                    HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (row < n_rows)[:, None] & (cols < n)[None, :]
    x = tl.load(x_ptr + row[:, None] * x_stride + cols[None, :], mask=mask, other=0.0).to(COMPUTE)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=1) / n + eps)
    y = x * scale[:, None]
    if HAS_WEIGHT:
        y = y * tl.load(w_ptr + cols, mask=cols < n, other=0.0).to(COMPUTE)[None, :]
    tl.store(y_ptr + row[:, None] * n + cols[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(scale_ptr + row, scale, mask=row < n_rows)


def forward(input, shape, weight, eps):
    x, rows, n = as_matrix(input, shape)
    y = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    scale = statistics(x, rows)
    block = triton.next_power_of_2(max(n, 1))
    if n > 131072:
        raise NotImplementedError(f"rms_norm v3_coalesced: a row has at most 131072 elements, got {n}")
    per_program = max(1024 // block, 1)
    warps = 4 if block <= 2048 else 8 if block <= 8192 else 16 if block <= 16384 else 32
    if y.numel():
        rms_norm_kernel[(triton.cdiv(rows, per_program),)](
            x, x if weight is None else weight.contiguous(), y, scale, rows, n, x.stride(0), eps,
            HAS_WEIGHT=weight is not None, COMPUTE=accumulator(x.dtype), ROWS=per_program, BLOCK=block, num_warps=warps)
    return y, scale


def triton_rms_norm(input, normalized_shape, weight=None, eps=None):
    """As torch.nn.functional.rms_norm."""
    return differentiable(RMSNorm, forward, *prepare(input, normalized_shape, weight, eps))
