"""v1_baseline: three kernels, one per step of the definition; the scores go through memory.

scores = query @ key^T * scale + mask, then a softmax of each row, then weights @ value. The matrix of scores (rows times keys
for every head) is written and read twice, in fp32: for 4096 rows and keys that is 64 MiB per head.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import mask_facts, outputs, prepare, result_shape
from .backward import Attention


@triton.jit
def scores_kernel(q_ptr, k_ptr, mask_ptr, s_ptr, q_b, q_h, q_m, k_b, k_h, k_n, mask_b, mask_h, mask_m, mask_n,
                  heads, group, n_rows, n_keys, scale: tl.float64, HEAD: tl.constexpr, CAUSAL: tl.constexpr, MASK: tl.constexpr,
                  COMPUTE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    b = tl.program_id(2) // heads
    h = tl.program_id(2) % heads
    m = tl.program_id(1) * BM + tl.arange(0, BM)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + b.to(tl.int64) * q_b + h * q_h + m[:, None] * q_m + d[None, :],
                mask=(m < n_rows)[:, None] & (d < HEAD)[None, :], other=0.0)
    k = tl.load(k_ptr + b.to(tl.int64) * k_b + h // group * k_h + n[None, :] * k_n + d[:, None],
                mask=(n < n_keys)[None, :] & (d < HEAD)[:, None], other=0.0)
    s = tl.dot(q, k, input_precision="ieee", out_dtype=COMPUTE) * tl.cast(scale, COMPUTE)
    inside = (m < n_rows)[:, None] & (n < n_keys)[None, :]
    mask_at = mask_ptr + b.to(tl.int64) * mask_b + h * mask_h + m[:, None].to(tl.int64) * mask_m + n[None, :] * mask_n
    if MASK == 1:
        s = tl.where(tl.load(mask_at, mask=inside, other=0) != 0, s, -float("inf"))
    if MASK == 2:
        s += tl.load(mask_at, mask=inside, other=0.0).to(COMPUTE)
    if CAUSAL:
        s = tl.where(m[:, None] >= n[None, :], s, -float("inf"))
    tl.store(s_ptr + (tl.program_id(2).to(tl.int64) * n_rows + m[:, None]) * n_keys + n[None, :], s, mask=inside)


@triton.jit
def softmax_kernel(s_ptr, lse_ptr, n_keys, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    n = tl.arange(0, BLOCK)
    s = tl.load(s_ptr + row * n_keys + n, mask=n < n_keys, other=-float("inf"))
    # A row in which everything is masked has no finite maximum; its weights are 0.
    largest = tl.maximum(tl.max(s, axis=0), -1.0e38)
    power = tl.exp(s - largest)
    total = tl.sum(power, axis=0)
    tl.store(s_ptr + row * n_keys + n, power / tl.where(total > 0, total, 1.0), mask=n < n_keys)
    tl.store(lse_ptr + row, tl.where(total > 0, largest * 1.4426950408889634 + tl.log2(total), float("inf")))


@triton.jit
def values_kernel(s_ptr, v_ptr, out_ptr, v_b, v_h, v_n, heads, group, n_rows, n_keys, HEAD: tl.constexpr,
                  COMPUTE: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    b = tl.program_id(1) // heads
    h = tl.program_id(1) % heads
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    row = tl.program_id(1).to(tl.int64) * n_rows + m[:, None]
    acc = tl.zeros((BM, D), COMPUTE)
    for first in range(0, n_keys, BN):
        n = first + tl.arange(0, BN)
        weight = tl.load(s_ptr + row * n_keys + n[None, :], mask=(m < n_rows)[:, None] & (n < n_keys)[None, :], other=0.0)
        v = tl.load(v_ptr + b.to(tl.int64) * v_b + h // group * v_h + n[:, None] * v_n + d[None, :],
                    mask=(n < n_keys)[:, None] & (d < HEAD)[None, :], other=0.0)
        acc = tl.dot(weight.to(v.dtype), v, acc, input_precision="ieee", out_dtype=COMPUTE)
    tl.store(out_ptr + row * HEAD + d[None, :], acc.to(out_ptr.dtype.element_ty), mask=(m < n_rows)[:, None] & (d < HEAD)[None, :])


def forward(q, k, v, mask, causal, scale):
    batch, heads, rows, head = q.shape
    keys, group, compute = k.shape[2], heads // max(k.shape[1], 1), accumulator(q.dtype)
    out, lse = outputs(q, v)
    if keys == 0 or out.numel() == 0:
        return out.zero_(), lse.fill_(float("inf"))
    if keys > 131072:
        raise NotImplementedError(f"mha v1_baseline: at most 131072 keys, got {keys}")
    pointer, strides, kind = mask_facts(mask, q)
    scores = torch.empty(batch * heads, rows, keys, dtype=lse.dtype, device=q.device)
    tile = dict(COMPUTE=compute, BM=32, BN=32)
    scores_kernel[(triton.cdiv(keys, 32), triton.cdiv(rows, 32), batch * heads)](
        q, k, pointer, scores, *q.stride()[:3], *k.stride()[:3], *strides, heads, group, rows, keys, scale,
        HEAD=head, CAUSAL=causal, MASK=kind, D=max(triton.next_power_of_2(head), 16), **tile)
    softmax_kernel[(batch * heads * rows,)](scores, lse, keys, BLOCK=triton.next_power_of_2(keys))
    values_kernel[(triton.cdiv(rows, 32), batch * heads)](
        scores, v, out, *v.stride()[:3], heads, group, rows, keys, HEAD=v.shape[3], D=max(triton.next_power_of_2(v.shape[3]), 16), **tile)
    return out, lse


def triton_mha(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As torch.nn.functional.scaled_dot_product_attention."""
    arguments = prepare(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    return differentiable(Attention, forward, *arguments).view(result_shape(query, key, value, enable_gqa))
