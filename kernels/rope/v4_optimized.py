"""v4_optimized: queries and keys in one launch; a program reads its cosines and sines once and uses them for several heads.

A program has a tile of rows. It loads the cosines and sines of these rows, then walks over its share of the heads of q and of k, in the
layout that the arguments have, as in v3. The second half of cos and sin is read too, since the caller may pass any values there. Rows
per tile, heads per program and warps are chosen by measuring.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import ends_contiguous, prepare

CONFIGS = [triton.Config({"ROWS": r, "HEADS": h}, num_warps=w) for r, h, w in ((8, 8, 4), (16, 4, 4), (16, 16, 4), (32, 8, 8), (4, 32, 4))]


@triton.jit
def turn(x_ptr, out_ptr, cos1, cos2, sin1, sin2, mask, half):
    """Rotates one tile [rows, half a head]."""
    x1 = tl.load(x_ptr, mask=mask, other=0.0).to(cos1.dtype)
    x2 = tl.load(x_ptr + half, mask=mask, other=0.0).to(cos1.dtype)
    tl.store(out_ptr, (x1 * cos1 - x2 * sin1).to(out_ptr.dtype.element_ty), mask=mask)
    tl.store(out_ptr + half, (x2 * cos2 + x1 * sin2).to(out_ptr.dtype.element_ty), mask=mask)


@triton.autotune(configs=CONFIGS, key=["rows", "head", "q_heads", "k_heads"])
@triton.jit
def rope_kernel(q_ptr, k_ptr, cos_ptr, sin_ptr, q_out, k_out, q_b, q_h, q_m, k_b, k_h, k_m, qo_b, qo_h, qo_m, ko_b, ko_h, ko_m,
                cos_b, q_heads, k_heads, rows, head, COMPUTE: tl.constexpr, HALF: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr):
    # Axis 0 of the grid: tiles of rows; axis 1: HEADS heads, those of q and then those of k; axis 2: the batch.
    b = tl.program_id(2).to(tl.int64)
    m = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    half = head // 2
    d = tl.arange(0, HALF)[None, :]
    mask = (m < rows) & (d < half)
    table = b * cos_b + m * head + d
    cos1 = tl.load(cos_ptr + table, mask=mask, other=0.0).to(COMPUTE)
    cos2 = tl.load(cos_ptr + table + half, mask=mask, other=0.0).to(COMPUTE)
    sin1 = tl.load(sin_ptr + table, mask=mask, other=0.0).to(COMPUTE)
    sin2 = tl.load(sin_ptr + table + half, mask=mask, other=0.0).to(COMPUTE)
    first = tl.program_id(1) * HEADS
    for h in range(first, tl.minimum(first + HEADS, q_heads)):
        turn(q_ptr + b * q_b + h * q_h + m * q_m + d, q_out + b * qo_b + h * qo_h + m * qo_m + d, cos1, cos2, sin1, sin2, mask, half)
    for h in range(tl.maximum(first - q_heads, 0), tl.minimum(first - q_heads + HEADS, k_heads)):
        turn(k_ptr + b * k_b + h * k_h + m * k_m + d, k_out + b * ko_b + h * ko_h + m * ko_m + d, cos1, cos2, sin1, sin2, mask, half)


def like(x):
    """An empty tensor of the layout of x whose heads' elements are contiguous."""
    out = torch.empty_like(x)
    return out if out.stride(-1) == 1 or out.shape[-1] == 1 else torch.empty(x.shape, dtype=x.dtype, device=x.device)


def triton_rope(q, k, cos, sin):
    """As apply_rotary_pos_emb of Transformers, for q and k [batch, heads, rows, elements], cos and sin [rows, elements] or with a batch."""
    cos, sin, cos_b = prepare(q, k, cos, sin)
    q, k = ends_contiguous(q), ends_contiguous(k)
    q_out, k_out = like(q), like(k)
    batch, heads, rows, head = q.shape
    both = heads + k.shape[1]
    if batch * both * rows * head:
        rope_kernel[lambda meta: (triton.cdiv(rows, meta["ROWS"]), triton.cdiv(both, meta["HEADS"]), batch)](
            q, k, cos, sin, q_out, k_out, *q.stride()[:3], *k.stride()[:3], *q_out.stride()[:3], *k_out.stride()[:3], cos_b,
            heads, k.shape[1], rows, head, COMPUTE=accumulator(q.dtype), HALF=triton.next_power_of_2(head // 2))
    return q_out, k_out
