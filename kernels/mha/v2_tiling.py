"""v2_tiling: one kernel; keys and values pass in tiles, the scores stay in registers (flash attention).

A program has a tile of rows and keeps, for each row, the running maximum, the running sum and the accumulated result, which it
rescales when the maximum grows. Nothing of the size rows times keys is written. Tile sizes are chosen by measuring. Every tile
is masked and every key visited, also above a causal mask's diagonal.
"""
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import mask_facts, outputs, prepare, result_shape
from .backward import Attention

CONFIGS = [triton.Config({"BM": m, "BN": n}, num_warps=w, num_stages=s)
           for m, n, w, s in ((32, 32, 4, 2), (64, 64, 4, 3), (128, 64, 4, 2), (128, 64, 8, 2), (128, 128, 8, 2))]


@triton.autotune(configs=CONFIGS, key=["n_rows", "n_keys", "HEAD"])
@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, lse_ptr, q_b, q_h, q_m, k_b, k_h, k_n, v_b, v_h, v_n,
                     mask_b, mask_h, mask_m, mask_n, heads, group, n_rows, n_keys, scale: tl.float64,
                     HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr,
                     D: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = tl.program_id(1) % heads
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    dv = tl.arange(0, DV)
    q = tl.load(q_ptr + b * q_b + h * q_h + m[:, None] * q_m + d[None, :], mask=(m < n_rows)[:, None] & (d < HEAD)[None, :], other=0.0)
    k_ptr += b * k_b + h // group * k_h
    v_ptr += b * v_b + h // group * v_h
    mask_ptr += b * mask_b + h * mask_h
    largest = tl.full((BM,), -1.0e38, COMPUTE)
    total = tl.zeros((BM,), COMPUTE)
    acc = tl.zeros((BM, DV), COMPUTE)
    for first in range(0, n_keys, BN):
        n = first + tl.arange(0, BN)
        k = tl.load(k_ptr + n[None, :] * k_n + d[:, None], mask=(n < n_keys)[None, :] & (d < HEAD)[:, None], other=0.0)
        s = tl.dot(q, k, input_precision="ieee", out_dtype=COMPUTE) * tl.cast(scale, COMPUTE)
        inside = (m < n_rows)[:, None] & (n < n_keys)[None, :]
        if MASK == 1:
            inside &= tl.load(mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n, mask=inside, other=0) != 0
        if MASK == 2:
            s += tl.load(mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n, mask=inside, other=0.0).to(COMPUTE)
        if CAUSAL:
            inside &= m[:, None] >= n[None, :]
        s = tl.where(inside, s, -float("inf"))
        grown = tl.maximum(largest, tl.max(s, axis=1))
        weight = tl.exp(s - grown[:, None])
        shrink = tl.exp(largest - grown)
        total = total * shrink + tl.sum(weight, axis=1)
        v = tl.load(v_ptr + n[:, None] * v_n + dv[None, :], mask=(n < n_keys)[:, None] & (dv < VALUE)[None, :], other=0.0)
        acc = tl.dot(weight.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee", out_dtype=COMPUTE)
        largest = grown
    row = tl.program_id(1).to(tl.int64) * n_rows + m
    acc = acc / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(out_ptr + row[:, None] * VALUE + dv[None, :], acc.to(out_ptr.dtype.element_ty), mask=(m < n_rows)[:, None] & (dv < VALUE)[None, :])
    tl.store(lse_ptr + row, tl.where(total > 0, largest * 1.4426950408889634 + tl.log2(total), float("inf")), mask=m < n_rows)


def forward(q, k, v, mask, causal, scale):
    batch, heads, rows, head = q.shape
    keys, value = k.shape[2], v.shape[3]
    out, lse = outputs(q, v)
    if keys == 0 or out.numel() == 0:
        return out.zero_(), lse.fill_(float("inf"))
    pointer, strides, kind = mask_facts(mask, q)
    attention_kernel[lambda meta: (triton.cdiv(rows, meta["BM"]), batch * heads)](
        q, k, v, pointer, out, lse, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *strides, heads, heads // k.shape[1], rows, keys, scale,
        HEAD=head, VALUE=value, CAUSAL=causal, MASK=kind, COMPUTE=accumulator(q.dtype),
        D=max(triton.next_power_of_2(head), 16), DV=max(triton.next_power_of_2(value), 16))
    return out, lse


def triton_mha(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As torch.nn.functional.scaled_dot_product_attention."""
    arguments = prepare(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    return differentiable(Attention, forward, *arguments).view(result_shape(query, key, value, enable_gqa))
