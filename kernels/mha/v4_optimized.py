"""v4_optimized: v3's accesses with measured tiles, the longest work first, and keys split between programs if rows are few.

The tile sizes and the number of warps and stages are chosen by measuring. With a causal mask, the programs with the most keys
start first, so that none of them runs alone at the end. If there are too few tiles of rows for all multiprocessors (decoding:
one row against thousands of keys), the keys are split: each program writes its partial result, maximum and sum in fp32, and a
second kernel combines them. Heads that share keys (grouped queries) run next to each other, so that their keys come from the
L2 cache.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable, processors
from .arguments import mask_facts, outputs, prepare, result_shape
from .backward import Attention

CONFIGS = [triton.Config({"BM": m, "BN": n}, num_warps=w, num_stages=s)
           for m, n, w, s in ((64, 32, 4, 2), (64, 64, 4, 3), (128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (128, 128, 8, 3), (128, 64, 8, 2))]


@triton.jit
def attend(q, k_ptr, v_ptr, mask_ptr, k_n, v_n, mask_m, mask_n, largest, total, acc, m, begin, end, n_rows, n_keys, scale,
           HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr,
           D: tl.constexpr, DV: tl.constexpr, BN: tl.constexpr, RISING: tl.constexpr, ENDS: tl.constexpr):
    """Folds the keys and values from begin to end into the running maximum, sum and result. ENDS: some of them are forbidden.
    RISING: the scale is positive."""
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    for first in range(begin, end, BN):
        n = first + tl.arange(0, BN)
        if ENDS or D > HEAD:
            k = tl.load(k_ptr + n[:, None] * k_n + d[None, :], mask=(n < n_keys)[:, None] & (d < HEAD)[None, :], other=0.0)
        else:
            k = tl.load(k_ptr + n[:, None] * k_n + d[None, :])
        s = tl.dot(q, tl.trans(k), input_precision="ieee", out_dtype=COMPUTE)
        if MASK or ENDS or not RISING:
            s *= scale
        if MASK or ENDS:
            inside = (m < n_rows)[:, None] & (n < n_keys)[None, :]
            if MASK == 1:
                inside &= tl.load(mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n, mask=inside, other=0) != 0
            if MASK == 2:
                s += tl.load(mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n, mask=inside, other=0.0).to(COMPUTE) * 1.4426950408889634
            if CAUSAL:
                inside &= m[:, None] >= n[None, :]
            s = tl.where(inside, s, -float("inf"))
        if MASK or ENDS or not RISING:
            grown = tl.maximum(largest, tl.max(s, axis=1))
            weight = tl.exp2(s - grown[:, None])
        else:  # the largest product has the largest score: the scale joins the subtraction
            grown = tl.maximum(largest, tl.max(s, axis=1) * scale)
            weight = tl.exp2(s * scale - grown[:, None])
        shrink = tl.exp2(largest - grown)
        total = total * shrink + tl.sum(weight, axis=1)
        if ENDS or DV > VALUE:
            v = tl.load(v_ptr + n[:, None] * v_n + e[None, :], mask=(n < n_keys)[:, None] & (e < VALUE)[None, :], other=0.0)
        else:
            v = tl.load(v_ptr + n[:, None] * v_n + e[None, :])
        acc = tl.dot(weight.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee", out_dtype=COMPUTE)
        largest = grown
    return largest, total, acc


@triton.autotune(configs=CONFIGS, key=["n_rows", "n_keys", "HEAD", "CAUSAL", "MASK"])
@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, lse_ptr, q_b, q_h, q_m, k_b, k_h, k_n, v_b, v_h, v_n,
                     mask_b, mask_h, mask_m, mask_n, heads, group, n_rows, n_keys, scale: tl.float64,
                     HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, EVEN: tl.constexpr, RISING: tl.constexpr,
                     COMPUTE: tl.constexpr, D: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    tile = tl.program_id(0)
    if CAUSAL:  # the last rows have the most keys: they start first
        tile = tl.num_programs(0) - 1 - tile
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = tl.program_id(1) % heads
    m = tile * BM + tl.arange(0, BM)
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
        end = tl.minimum(n_keys, (tile + 1) * BM)
        whole = tl.minimum(whole, tile * BM // BN * BN)
    largest, total, acc = attend(q, k_ptr, v_ptr, mask_ptr, k_n, v_n, mask_m, mask_n, largest, total, acc, m, 0, whole, n_rows, n_keys, scale2,
                                 HEAD, VALUE, False, MASK, COMPUTE, D, DV, BN, RISING, False)
    if CAUSAL or not EVEN:  # the tiles that need masks
        largest, total, acc = attend(q, k_ptr, v_ptr, mask_ptr, k_n, v_n, mask_m, mask_n, largest, total, acc, m, whole, end, n_rows, n_keys, scale2,
                                     HEAD, VALUE, CAUSAL, MASK, COMPUTE, D, DV, BN, RISING, True)
    row = tl.program_id(1).to(tl.int64) * n_rows + m
    acc = acc / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(out_ptr + row[:, None] * VALUE + e[None, :], acc.to(out_ptr.dtype.element_ty), mask=(m < n_rows)[:, None] & (e < VALUE)[None, :])
    tl.store(lse_ptr + row, tl.where(total > 0, largest + tl.log2(total), float("inf")), mask=m < n_rows)


@triton.jit
def part_kernel(q_ptr, k_ptr, v_ptr, mask_ptr, part_ptr, largest_ptr, total_ptr, q_b, q_h, q_m, k_b, k_h, k_n, v_b, v_h, v_n,
                mask_b, mask_h, mask_m, mask_n, heads, group, n_rows, n_keys, part, scale: tl.float64,
                HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, RISING: tl.constexpr, COMPUTE: tl.constexpr,
                D: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """What one part of the keys contributes to a tile of rows: axis 0 of the grid is the part."""
    b = (tl.program_id(2) // heads).to(tl.int64)
    h = tl.program_id(2) % heads
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    q = tl.load(q_ptr + b * q_b + h * q_h + m[:, None] * q_m + d[None, :], mask=(m < n_rows)[:, None] & (d < HEAD)[None, :], other=0.0)
    largest = tl.full((BM,), -1.0e38, COMPUTE)
    total = tl.zeros((BM,), COMPUTE)
    acc = tl.zeros((BM, DV), COMPUTE)
    begin = tl.program_id(0) * part
    end = tl.minimum(begin + part, n_keys)
    largest, total, acc = attend(q, k_ptr + b * k_b + h // group * k_h, v_ptr + b * v_b + h // group * v_h, mask_ptr + b * mask_b + h * mask_h,
                                 k_n, v_n, mask_m, mask_n, largest, total, acc, m, begin, end, n_rows, n_keys, tl.cast(scale * 1.4426950408889634, COMPUTE),
                                 HEAD, VALUE, CAUSAL, MASK, COMPUTE, D, DV, BN, RISING, True)
    row = (tl.program_id(2).to(tl.int64) * n_rows + m) * tl.num_programs(0) + tl.program_id(0)
    tl.store(part_ptr + row[:, None] * VALUE + e[None, :], acc, mask=(m < n_rows)[:, None] & (e < VALUE)[None, :])
    tl.store(largest_ptr + row, largest, mask=m < n_rows)
    tl.store(total_ptr + row, total, mask=m < n_rows)


@triton.jit
def combine_kernel(part_ptr, largest_ptr, total_ptr, out_ptr, lse_ptr, parts, VALUE: tl.constexpr, DV: tl.constexpr, PARTS: tl.constexpr):
    """Adds the parts of one row."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, PARTS)
    e = tl.arange(0, DV)
    largest = tl.load(largest_ptr + row * parts + i, mask=i < parts, other=-1.0e38)
    total = tl.load(total_ptr + row * parts + i, mask=i < parts, other=0.0)
    part = tl.load(part_ptr + (row * parts + i)[:, None] * VALUE + e[None, :], mask=(i < parts)[:, None] & (e < VALUE)[None, :], other=0.0)
    row_largest = tl.max(largest, axis=0)
    factor = tl.exp2(largest - row_largest)
    row_total = tl.sum(total * factor, axis=0)
    out = tl.sum(part * factor[:, None], axis=0) / tl.where(row_total > 0, row_total, 1.0)
    tl.store(out_ptr + row * VALUE + e, out.to(out_ptr.dtype.element_ty), mask=e < VALUE)
    tl.store(lse_ptr + row, tl.where(row_total > 0, row_largest + tl.log2(row_total), float("inf")))


def number_of_parts(q, keys):
    """Returns how many programs share the keys of a tile of rows: 1 if there are tiles enough for all multiprocessors."""
    tiles = triton.cdiv(q.shape[2], 64) * q.shape[0] * q.shape[1]
    free = 2 * processors(q.device) // tiles
    return max(min(free, keys // 256, 64), 1)


def split(q, k, v, mask, causal, scale, parts, out, lse):
    batch, heads, rows, head = q.shape
    keys, value = k.shape[2], v.shape[3]
    pointer, strides, kind = mask_facts(mask, q)
    part = triton.cdiv(triton.cdiv(keys, parts), 64) * 64
    parts = triton.cdiv(keys, part)
    results = torch.empty(*lse.shape, parts, value, dtype=lse.dtype, device=q.device)
    largest, total = (torch.empty(*lse.shape, parts, dtype=lse.dtype, device=q.device) for _ in range(2))
    d, e = (max(triton.next_power_of_2(x), 16) for x in (head, value))
    block = 16 if rows <= 16 else 32 if rows <= 32 or q.element_size() > 2 else 64
    part_kernel[(parts, triton.cdiv(rows, block), batch * heads)](
        q, k, v, pointer, results, largest, total, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *strides,
        heads, heads // k.shape[1], rows, keys, part, scale, HEAD=head, VALUE=value, CAUSAL=causal, MASK=kind, RISING=scale > 0,
        COMPUTE=accumulator(q.dtype), D=d, DV=e, BM=block, BN=64 if q.element_size() <= 2 else 32, num_warps=4, num_stages=2)
    combine_kernel[(lse.numel(),)](results, largest, total, out, lse, parts, VALUE=value, DV=e, PARTS=triton.next_power_of_2(parts))


def forward(q, k, v, mask, causal, scale):
    batch, heads, rows, head = q.shape
    keys, value = k.shape[2], v.shape[3]
    out, lse = outputs(q, v)
    if keys == 0 or out.numel() == 0:
        return out.zero_(), lse.fill_(float("inf"))
    parts = number_of_parts(q, keys)
    if parts > 1:
        split(q, k, v, mask, causal, scale, parts, out, lse)
        return out, lse
    pointer, strides, kind = mask_facts(mask, q)
    attention_kernel[lambda meta: (triton.cdiv(rows, meta["BM"]), batch * heads)](
        q, k, v, pointer, out, lse, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *strides, heads, heads // k.shape[1], rows, keys, scale,
        HEAD=head, VALUE=value, CAUSAL=causal, MASK=kind, EVEN=keys % 128 == 0, RISING=scale > 0, COMPUTE=accumulator(q.dtype),
        D=max(triton.next_power_of_2(head), 16), DV=max(triton.next_power_of_2(value), 16))
    return out, lse


def triton_mha(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As torch.nn.functional.scaled_dot_product_attention."""
    arguments = prepare(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    return differentiable(Attention, forward, *arguments).view(result_shape(query, key, value, enable_gqa))
