"""v3_coalesced: heads in the order of memory, 16-byte accesses, results in the layout of the arguments.

Queries that come out of a projection are [batch, rows, heads, elements] in memory, seen as [batch, heads, rows, elements]. The result
gets the same layout, and a program has neighbouring heads or rows, whichever lie next to each other, so that a tile is one
contiguous piece of memory. Tile sizes are fixed; queries and keys are two launches.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import ends_contiguous, prepare


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_b, x_h, x_m, out_b, out_h, out_m, cos_b, heads, rows, head,
                HEADS_FIRST: tl.constexpr, COMPUTE: tl.constexpr, HALF: tl.constexpr, TILE: tl.constexpr):
    # A tile is TILE neighbouring heads of one row, or TILE neighbouring rows of one head.
    near = heads if HEADS_FIRST else rows
    far = rows if HEADS_FIRST else heads
    tiles = tl.cdiv(near, TILE)
    i = (tl.program_id(0) % tiles * TILE + tl.arange(0, TILE))[:, None]
    j = tl.program_id(0) // tiles % far
    b = (tl.program_id(0) // (tiles * far)).to(tl.int64)
    if HEADS_FIRST:
        h = i
        m = j
    else:
        h = j
        m = i
    half = head // 2
    d = tl.arange(0, HALF)[None, :]
    mask = (i < near) & (d < half)
    at = x_ptr + b * x_b + h * x_h + m * x_m + d
    x1 = tl.load(at, mask=mask, other=0.0).to(COMPUTE)
    x2 = tl.load(at + half, mask=mask, other=0.0).to(COMPUTE)
    table = b * cos_b + m * head + d
    inside = (m < rows) & (d < half)
    cos1 = tl.load(cos_ptr + table, mask=inside, other=0.0).to(COMPUTE)
    cos2 = tl.load(cos_ptr + table + half, mask=inside, other=0.0).to(COMPUTE)
    sin1 = tl.load(sin_ptr + table, mask=inside, other=0.0).to(COMPUTE)
    sin2 = tl.load(sin_ptr + table + half, mask=inside, other=0.0).to(COMPUTE)
    out = out_ptr + b * out_b + h * out_h + m * out_m + d
    tl.store(out, (x1 * cos1 - x2 * sin1).to(out_ptr.dtype.element_ty), mask=mask)
    tl.store(out + half, (x2 * cos2 + x1 * sin2).to(out_ptr.dtype.element_ty), mask=mask)


def rotate(x, cos, sin, cos_b):
    x = ends_contiguous(x)
    batch, heads, rows, head = x.shape
    out = torch.empty_like(x)
    if out.stride(-1) != 1:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    heads_first = x.stride(1) < x.stride(2)
    near, far = (heads, rows) if heads_first else (rows, heads)
    if out.numel():
        rope_kernel[(batch * far * triton.cdiv(near, 16),)](
            x, cos, sin, out, *x.stride()[:3], *out.stride()[:3], cos_b, heads, rows, head, HEADS_FIRST=heads_first,
            COMPUTE=accumulator(x.dtype), HALF=triton.next_power_of_2(head // 2), TILE=16)
    return out


def triton_rope(q, k, cos, sin):
    """As apply_rotary_pos_emb of Transformers, for q and k [batch, heads, rows, elements], cos and sin [rows, elements] or with a batch."""
    cos, sin, cos_b = prepare(q, k, cos, sin)
    return rotate(q, cos, sin, cos_b), rotate(k, cos, sin, cos_b)
