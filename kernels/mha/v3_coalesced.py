"""v3_coalesced: every tile is read along its contiguous dimension, without masks where none is needed.

Keys are read as rows, 16 bytes per thread, and transposed on the way into the product, like values. Tiles that lie within the
matrix are read and used without masks; only the last one, and those on a causal mask's diagonal, are masked. Tiles above the
diagonal are not read at all. Scores are in base 2, so that an exponential is one instruction. Tile sizes are fixed.
"""
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import mask_facts, outputs, prepare, result_shape
from .backward import Attention


@triton.jit
def attend(q, k_ptr, v_ptr, mask_ptr, k_n, v_n, mask_m, mask_n, largest, total, acc, m, begin, end, n_rows, n_keys, scale,
           HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr,
           D: tl.constexpr, DV: tl.constexpr, BN: tl.constexpr, ENDS: tl.constexpr):
    """Folds the keys and values from begin to end into the running maximum, sum and result. ENDS: some of them are forbidden."""
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    for first in range(begin, end, BN):
        n = first + tl.arange(0, BN)
        if ENDS or D > HEAD:
            k = tl.load(k_ptr + n[:, None] * k_n + d[None, :], mask=(n < n_keys)[:, None] & (d < HEAD)[None, :], other=0.0)
        else:
            k = tl.load(k_ptr + n[:, None] * k_n + d[None, :])
        s = tl.dot(q, tl.trans(k), input_precision="ieee", out_dtype=COMPUTE) * scale
        if MASK or ENDS:
            inside = (m < n_rows)[:, None] & (n < n_keys)[None, :]
            if MASK == 1:
                inside &= tl.load(mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n, mask=inside, other=0) != 0
            if MASK == 2:
                s += tl.load(mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n, mask=inside, other=0.0).to(COMPUTE) * 1.4426950408889634
            if CAUSAL:
                inside &= m[:, None] >= n[None, :]
            s = tl.where(inside, s, -float("inf"))
        grown = tl.maximum(largest, tl.max(s, axis=1))
        weight = tl.exp2(s - grown[:, None])
        shrink = tl.exp2(largest - grown)
        total = total * shrink + tl.sum(weight, axis=1)
        if ENDS or DV > VALUE:
            v = tl.load(v_ptr + n[:, None] * v_n + e[None, :], mask=(n < n_keys)[:, None] & (e < VALUE)[None, :], other=0.0)
        else:
            v = tl.load(v_ptr + n[:, None] * v_n + e[None, :])
        acc = tl.dot(weight.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee", out_dtype=COMPUTE)
        largest = grown
    return largest, total, acc


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, lse_ptr, q_b, q_h, q_m, k_b, k_h, k_n, v_b, v_h, v_n,
                     mask_b, mask_h, mask_m, mask_n, heads, group, n_rows, n_keys, scale: tl.float64,
                     HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr,
                     D: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = tl.program_id(1) % heads
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    q = tl.load(q_ptr + b * q_b + h * q_h + m[:, None] * q_m + d[None, :], mask=(m < n_rows)[:, None] & (d < HEAD)[None, :], other=0.0)
    k_ptr += b * k_b + h // group * k_h
    v_ptr += b * v_b + h // group * v_h
    mask_ptr += b * mask_b + h * mask_h
    scale2 = tl.cast(scale * 1.4426950408889634, COMPUTE)
    largest = tl.full((BM,), -1.0e38, COMPUTE)
    total = tl.zeros((BM,), COMPUTE)
    acc = tl.zeros((BM, DV), COMPUTE)
    end = n_keys
    whole = n_keys // BN * BN
    if CAUSAL:
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BM)
        whole = tl.minimum(whole, tl.program_id(0) * BM // BN * BN)
    largest, total, acc = attend(q, k_ptr, v_ptr, mask_ptr, k_n, v_n, mask_m, mask_n, largest, total, acc, m, 0, whole, n_rows, n_keys, scale2,
                                 HEAD, VALUE, False, MASK, COMPUTE, D, DV, BN, False)
    largest, total, acc = attend(q, k_ptr, v_ptr, mask_ptr, k_n, v_n, mask_m, mask_n, largest, total, acc, m, whole, end, n_rows, n_keys, scale2,
                                 HEAD, VALUE, CAUSAL, MASK, COMPUTE, D, DV, BN, True)
    row = tl.program_id(1).to(tl.int64) * n_rows + m
    acc = acc / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(out_ptr + row[:, None] * VALUE + e[None, :], acc.to(out_ptr.dtype.element_ty), mask=(m < n_rows)[:, None] & (e < VALUE)[None, :])
    tl.store(lse_ptr + row, tl.where(total > 0, largest + tl.log2(total), float("inf")), mask=m < n_rows)


def forward(q, k, v, mask, causal, scale):
    batch, heads, rows, head = q.shape
    keys, value = k.shape[2], v.shape[3]
    out, lse = outputs(q, v)
    if keys == 0 or out.numel() == 0:
        return out.zero_(), lse.fill_(float("inf"))
    pointer, strides, kind = mask_facts(mask, q)
    block = 64 if q.element_size() == 2 else 32
    attention_kernel[(triton.cdiv(rows, block), batch * heads)](
        q, k, v, pointer, out, lse, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *strides, heads, heads // k.shape[1], rows, keys, scale,
        HEAD=head, VALUE=value, CAUSAL=causal, MASK=kind, COMPUTE=accumulator(q.dtype),
        D=max(triton.next_power_of_2(head), 16), DV=max(triton.next_power_of_2(value), 16), BM=block, BN=block, num_warps=4, num_stages=2)
    return out, lse


def triton_mha(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As torch.nn.functional.scaled_dot_product_attention."""
    arguments = prepare(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    return differentiable(Attention, forward, *arguments).view(result_shape(query, key, value, enable_gqa))
