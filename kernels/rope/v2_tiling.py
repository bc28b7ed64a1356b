"""v2_tiling: a tile of rows per program, both halves of a head at once; sizes are chosen by measuring.

The two halves of a row are two tiles, so that each value is read once and used for both of its results. Queries and keys are still
two launches, and each head reads the cosines and sines again.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import prepare


@triton.autotune(configs=[triton.Config({"ROWS": r}, num_warps=w) for r, w in ((8, 4), (16, 4), (32, 4), (64, 8))], key=["rows", "head"])
@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_b, x_h, x_m, x_d, cos_b, heads, rows, head,
                COMPUTE: tl.constexpr, HALF: tl.constexpr, ROWS: tl.constexpr):
    tiles = tl.cdiv(rows, ROWS)
    m = (tl.program_id(0) % tiles * ROWS + tl.arange(0, ROWS))[:, None]
    h = tl.program_id(0) // tiles % heads
    b = (tl.program_id(0) // (tiles * heads)).to(tl.int64)
    half = head // 2
    d = tl.arange(0, HALF)[None, :]
    mask = (m < rows) & (d < half)
    x_ptr += b * x_b + h * x_h
    x1 = tl.load(x_ptr + m * x_m + d * x_d, mask=mask, other=0.0).to(COMPUTE)
    x2 = tl.load(x_ptr + m * x_m + (d + half) * x_d, mask=mask, other=0.0).to(COMPUTE)
    table = b * cos_b + m * head + d
    cos1 = tl.load(cos_ptr + table, mask=mask, other=0.0).to(COMPUTE)
    cos2 = tl.load(cos_ptr + table + half, mask=mask, other=0.0).to(COMPUTE)
    sin1 = tl.load(sin_ptr + table, mask=mask, other=0.0).to(COMPUTE)
    sin2 = tl.load(sin_ptr + table + half, mask=mask, other=0.0).to(COMPUTE)
    at = ((b * heads + h) * rows + m) * head + d
    tl.store(out_ptr + at, (x1 * cos1 - x2 * sin1).to(out_ptr.dtype.element_ty), mask=mask)
    tl.store(out_ptr + at + half, (x2 * cos2 + x1 * sin2).to(out_ptr.dtype.element_ty), mask=mask)


def rotate(x, cos, sin, cos_b):
    batch, heads, rows, head = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel():
        rope_kernel[lambda meta: (batch * heads * triton.cdiv(rows, meta["ROWS"]),)](
            x, cos, sin, out, *x.stride(), cos_b, heads, rows, head, COMPUTE=accumulator(x.dtype), HALF=triton.next_power_of_2(head // 2))
    return out


def triton_rope(q, k, cos, sin):
    """As apply_rotary_pos_emb of Transformers, for q and k [batch, heads, rows, elements], cos and sin [rows, elements] or with a batch."""
    cos, sin, cos_b = prepare(q, k, cos, sin)
    return rotate(q, cos, sin, cos_b), rotate(k, cos, sin, cos_b)
