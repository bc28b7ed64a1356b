"""The gradient of mha: of query, key and value, without a matrix of rows times keys in memory.

The weights are recomputed from the logarithm of each row's sum, which the forward pass keeps. delta = sum(result * gradient) of
each row. Then, with p the weights, s the scores, and g the gradient of the result:

    dv = p^T g        ds = p * (g v^T - delta)        dq = ds k * scale        dk = ds^T q * scale

One kernel has a tile of keys and walks over the rows (and over all heads that share the keys, for grouped queries, so no
atomics are needed); the other has a tile of rows and walks over the keys.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import mask_facts


@triton.jit
def delta_kernel(out_ptr, g_ptr, delta_ptr, n, VALUE: tl.constexpr, COMPUTE: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr):
    m = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    d = tl.arange(0, DV)
    mask = (m < n)[:, None] & (d < VALUE)[None, :]
    out = tl.load(out_ptr + m[:, None] * VALUE + d[None, :], mask=mask, other=0.0).to(COMPUTE)
    g = tl.load(g_ptr + m[:, None] * VALUE + d[None, :], mask=mask, other=0.0).to(COMPUTE)
    tl.store(delta_ptr + m, tl.sum(out * g, axis=1), mask=m < n)


@triton.jit
def weights(q, k, m, n, lse, mask_ptr, mask_m, mask_n, n_rows, n_keys, scale,
            CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr):
    """The weights [rows, keys] of a tile, 0 where a mask or an end forbids them."""
    s = tl.dot(q, tl.trans(k), input_precision="ieee", out_dtype=COMPUTE) * tl.cast(scale * 1.4426950408889634, COMPUTE)
    inside = (m < n_rows)[:, None] & (n < n_keys)[None, :]
    at = mask_ptr + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n
    if MASK == 1:
        inside &= tl.load(at, mask=inside, other=0) != 0
    if MASK == 2:
        s += tl.load(at, mask=inside, other=0.0).to(COMPUTE) * 1.4426950408889634
    if CAUSAL:
        inside &= m[:, None] >= n[None, :]
    return tl.where(inside, tl.exp2(s - lse[:, None]), 0.0)


@triton.jit
def keys_kernel(q_ptr, k_ptr, v_ptr, mask_ptr, g_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr,
                q_b, q_h, q_m, k_b, k_h, k_n, v_b, v_h, v_n, mask_b, mask_h, mask_m, mask_n, heads, group, n_rows, n_keys, scale: tl.float64,
                HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr,
                D: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    key_heads = heads // group
    b = (tl.program_id(1) // key_heads).to(tl.int64)
    key_head = tl.program_id(1) % key_heads
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    k_mask = (n < n_keys)[:, None] & (d < HEAD)[None, :]
    v_mask = (n < n_keys)[:, None] & (e < VALUE)[None, :]
    k = tl.load(k_ptr + b * k_b + key_head * k_h + n[:, None] * k_n + d[None, :], mask=k_mask, other=0.0)
    v = tl.load(v_ptr + b * v_b + key_head * v_h + n[:, None] * v_n + e[None, :], mask=v_mask, other=0.0)
    dk = tl.zeros((BN, D), COMPUTE)
    dv = tl.zeros((BN, DV), COMPUTE)
    begin = 0
    if CAUSAL:  # rows before the tile's first key do not see it
        begin = tl.program_id(0) * BN // BM * BM
    for h in range(key_head * group, key_head * group + group):
        head = b * heads + h
        for first in range(begin, n_rows, BM):
            m = first + tl.arange(0, BM)
            q = tl.load(q_ptr + b * q_b + h * q_h + m[:, None] * q_m + d[None, :], mask=(m < n_rows)[:, None] & (d < HEAD)[None, :], other=0.0)
            row = head * n_rows + m
            lse = tl.load(lse_ptr + row, mask=m < n_rows, other=0.0)
            p = weights(q, k, m, n, lse, mask_ptr + b * mask_b + h * mask_h, mask_m, mask_n, n_rows, n_keys, scale, CAUSAL, MASK, COMPUTE)
            g = tl.load(g_ptr + row[:, None] * VALUE + e[None, :], mask=(m < n_rows)[:, None] & (e < VALUE)[None, :], other=0.0)
            dv = tl.dot(tl.trans(p.to(g.dtype)), g, dv, input_precision="ieee", out_dtype=COMPUTE)
            delta = tl.load(delta_ptr + row, mask=m < n_rows, other=0.0)
            ds = p * (tl.dot(g, tl.trans(v), input_precision="ieee", out_dtype=COMPUTE) - delta[:, None])
            dk = tl.dot(tl.trans(ds.to(q.dtype)), q, dk, input_precision="ieee", out_dtype=COMPUTE)
    key = tl.program_id(1).to(tl.int64) * n_keys + n
    tl.store(dk_ptr + key[:, None] * HEAD + d[None, :], (dk * tl.cast(scale, COMPUTE)).to(dk_ptr.dtype.element_ty), mask=k_mask)
    tl.store(dv_ptr + key[:, None] * VALUE + e[None, :], dv.to(dv_ptr.dtype.element_ty), mask=v_mask)


@triton.jit
def rows_kernel(q_ptr, k_ptr, v_ptr, mask_ptr, g_ptr, lse_ptr, delta_ptr, dq_ptr,
                q_b, q_h, q_m, k_b, k_h, k_n, v_b, v_h, v_n, mask_b, mask_h, mask_m, mask_n, heads, group, n_rows, n_keys, scale: tl.float64,
                HEAD: tl.constexpr, VALUE: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr, COMPUTE: tl.constexpr,
                D: tl.constexpr, DV: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = tl.program_id(1) % heads
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    e = tl.arange(0, DV)
    q_mask = (m < n_rows)[:, None] & (d < HEAD)[None, :]
    row = tl.program_id(1).to(tl.int64) * n_rows + m
    q = tl.load(q_ptr + b * q_b + h * q_h + m[:, None] * q_m + d[None, :], mask=q_mask, other=0.0)
    g = tl.load(g_ptr + row[:, None] * VALUE + e[None, :], mask=(m < n_rows)[:, None] & (e < VALUE)[None, :], other=0.0)
    lse = tl.load(lse_ptr + row, mask=m < n_rows, other=0.0)
    delta = tl.load(delta_ptr + row, mask=m < n_rows, other=0.0)
    dq = tl.zeros((BM, D), COMPUTE)
    end = n_keys
    if CAUSAL:
        end = tl.minimum(n_keys, (tl.program_id(0) + 1) * BM)
    for first in range(0, end, BN):
        n = first + tl.arange(0, BN)
        k = tl.load(k_ptr + b * k_b + h // group * k_h + n[:, None] * k_n + d[None, :], mask=(n < n_keys)[:, None] & (d < HEAD)[None, :], other=0.0)
        v = tl.load(v_ptr + b * v_b + h // group * v_h + n[:, None] * v_n + e[None, :], mask=(n < n_keys)[:, None] & (e < VALUE)[None, :], other=0.0)
        p = weights(q, k, m, n, lse, mask_ptr + b * mask_b + h * mask_h, mask_m, mask_n, n_rows, n_keys, scale, CAUSAL, MASK, COMPUTE)
        ds = p * (tl.dot(g, tl.trans(v), input_precision="ieee", out_dtype=COMPUTE) - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee", out_dtype=COMPUTE)
    tl.store(dq_ptr + row[:, None] * HEAD + d[None, :], (dq * tl.cast(scale, COMPUTE)).to(dq_ptr.dtype.element_ty), mask=q_mask)


def gradients(q, k, v, mask, out, lse, g, causal, scale):
    """Returns the gradients of q, k and v."""
    batch, heads, rows, head = q.shape
    keys, value = k.shape[2], v.shape[3]
    dq, dk, dv = (torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (q, k, v))
    if rows == 0 or keys == 0 or batch * heads == 0:
        return dq.zero_(), dk.zero_(), dv.zero_()
    compute, g, delta = accumulator(q.dtype), g.contiguous(), torch.empty_like(lse)
    pointer, strides, kind = mask_facts(mask, q)
    d, e = (max(triton.next_power_of_2(x), 16) for x in (head, value))
    delta_kernel[(triton.cdiv(lse.numel(), 32),)](out, g, delta, lse.numel(), VALUE=value, COMPUTE=compute, DV=e, BM=32)
    facts = (*q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *strides, heads, heads // k.shape[1], rows, keys, scale)
    options = dict(HEAD=head, VALUE=value, CAUSAL=causal, MASK=kind, COMPUTE=compute, D=d, DV=e)
    small = q.device.type == "cpu" or q.element_size() > 2
    tile = dict(BM=32, BN=32, num_warps=4, num_stages=2) if small else dict(BM=64, BN=128 if d <= 64 else 64, num_warps=8 if d > 64 else 4, num_stages=2)
    keys_kernel[(triton.cdiv(keys, tile["BN"]), batch * k.shape[1])](q, k, v, pointer, g, lse, delta, dk, dv, *facts, **options, **tile)
    tile = tile if small else dict(BM=128 if d <= 128 else 64, BN=64, num_warps=8, num_stages=2)
    rows_kernel[(triton.cdiv(rows, tile["BM"]), batch * heads)](q, k, v, pointer, g, lse, delta, dq, *facts, **options, **tile)
    return dq, dk, dv


class Attention(torch.autograd.Function):
    """Keeps the result and the logarithm of each row's sum, not the weights."""

    @staticmethod
    def forward(ctx, forward, q, k, v, mask, causal, scale):
        out, lse = forward(q, k, v, mask, causal, scale)
        ctx.save_for_backward(q, k, v, mask, out, lse)
        ctx.causal, ctx.scale = causal, scale
        return out

    @staticmethod
    def backward(ctx, gradient):
        q, k, v, mask, out, lse = ctx.saved_tensors
        return None, *gradients(q, k, v, mask, out, lse, gradient, ctx.causal, ctx.scale), None, None, None
