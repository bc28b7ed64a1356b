"""v1_baseline: one program per row of a head, once for the queries and once for the keys.

A direct translation: each element reads its own value, its partner half a head away, and its own cosine and sine. So every value is
read twice, and the cosines and sines once for every head.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import prepare


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, x_b, x_h, x_m, x_d, cos_b, heads, rows, head, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) % rows
    h = tl.program_id(0) // rows % heads
    b = (tl.program_id(0) // (rows * heads)).to(tl.int64)
    d = tl.arange(0, BLOCK)
    mask = d < head
    half = head // 2
    x_ptr += b * x_b + h * x_h + m * x_m
    x = tl.load(x_ptr + d * x_d, mask=mask, other=0.0).to(COMPUTE)
    partner = tl.load(x_ptr + tl.where(d < half, d + half, d - half) * x_d, mask=mask, other=0.0).to(COMPUTE)
    cos = tl.load(cos_ptr + b * cos_b + m * head + d, mask=mask, other=0.0).to(COMPUTE)
    sin = tl.load(sin_ptr + b * cos_b + m * head + d, mask=mask, other=0.0).to(COMPUTE)
    y = x * cos + tl.where(d < half, -partner, partner) * sin
    tl.store(out_ptr + tl.program_id(0).to(tl.int64) * head + d, y.to(out_ptr.dtype.element_ty), mask=mask)


def rotate(x, cos, sin, cos_b):
    batch, heads, rows, head = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel():
        rope_kernel[(batch * heads * rows,)](x, cos, sin, out, *x.stride(), cos_b, heads, rows, head, COMPUTE=accumulator(x.dtype),
                                             BLOCK=triton.next_power_of_2(head))
    return out


def triton_rope(q, k, cos, sin):
    """As apply_rotary_pos_emb of Transformers, for q and k [batch, heads, rows, elements], cos and sin [rows, elements] or with a batch."""
    cos, sin, cos_b = prepare(q, k, cos, sin)
    return rotate(q, cos, sin, cos_b), rotate(k, cos, sin, cos_b)
