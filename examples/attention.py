"""Flash attention, forward: O = softmax(Q K^T * scale) V without ever storing the scores.

One program owns BLOCK_M queries of one head. It walks over the keys in blocks of BLOCK_N and keeps, for
each query, the largest score so far, the sum of exponentials relative to it, and the weighted sum of the
values; when a larger score comes, the two sums are scaled down (see online_softmax_kernel in softmax.py).
Exponentials are taken to the base 2, which is what the hardware has: the scale absorbs log2(e).

With CAUSAL a query sees no key after its own position. Blocks of keys that every query of the program
sees whole need no mask, so the walk has two parts: those blocks, then the blocks that the diagonal or the
sequence's end cuts. Both parts are the same function with another constant.

Q, K, V and O are [batch, heads, sequence, HEAD_DIM] with any strides but a last one of 1; any length.

    tessera compile examples/attention.py --kernel-name attention_kernel --num-warps 8 \
        --signature "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,\
i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32,i32,128,128,64,1" --emit ttir -o -

    python examples/attention.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/attention.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def attend(acc, total, largest, q, k_ptrs, v_ptrs, rows, first, last, n_ctx, scale, stride_kn, stride_vn,
           BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr):
    """Walks over the keys from `first` up to `last`, a block at a time; returns the three running values."""
    cols = tl.arange(0, BLOCK_N)
    for start in tl.range(first, last, BLOCK_N):
        start = tl.multiple_of(start, BLOCK_N)
        key = start + cols
        if MASKED:
            k = tl.load(k_ptrs + key[None, :] * stride_kn, mask=(key < n_ctx)[None, :], other=0.0)
        else:
            k = tl.load(k_ptrs + key[None, :] * stride_kn)
        scores = tl.dot(q, k) * scale
        if MASKED:
            seen = (key < n_ctx)[None, :]
            if CAUSAL:
                seen = seen & (key[None, :] <= rows[:, None])
            scores = tl.where(seen, scores, -float("inf"))
        grown = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp2(scores - grown[:, None])
        shrink = tl.exp2(largest - grown)
        total = total * shrink + tl.sum(p, axis=1)
        if MASKED:
            v = tl.load(v_ptrs + key[:, None] * stride_vn, mask=(key < n_ctx)[:, None], other=0.0)
        else:
            v = tl.load(v_ptrs + key[:, None] * stride_vn)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        largest = grown
    return acc, total, largest


# signature: *fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32,i32,128,128,64,1 --num-warps 8
# signature: *bf16,*bf16,*bf16,*bf16,*fp32,fp32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,64,64,32,0
# signature: *fp32,*fp32,*fp32,*fp32,*fp32,fp32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,32,32,16,1
@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, scale,
                     stride_qb, stride_qh, stride_qn, stride_kb, stride_kh, stride_kn,
                     stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_on,
                     n_heads, n_ctx,
                     HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    tl.static_assert(BLOCK_M % BLOCK_N == 0, "BLOCK_M must be a multiple of BLOCK_N")
    block = tl.program_id(0)
    batch = (tl.program_id(1) // n_heads).to(tl.int64)
    head = (tl.program_id(1) % n_heads).to(tl.int64)
    q_ptr += batch * stride_qb + head * stride_qh
    k_ptr += batch * stride_kb + head * stride_kh
    v_ptr += batch * stride_vb + head * stride_vh
    o_ptr += batch * stride_ob + head * stride_oh
    lse_ptr += tl.program_id(1).to(tl.int64) * n_ctx

    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    row_mask = rows < n_ctx
    q = tl.load(q_ptr + rows[:, None] * stride_qn + dims[None, :], mask=row_mask[:, None], other=0.0)
    k_ptrs = k_ptr + dims[:, None]  # K is read transposed
    v_ptrs = v_ptr + dims[None, :]

    acc = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    largest = tl.full((BLOCK_M,), -3.4028234663852886e38, tl.float32)
    # Keys before `whole` are seen by every query of this program, keys from `end` on by none.
    if CAUSAL:
        whole = block * BLOCK_M
        end = min(n_ctx, (block + 1) * BLOCK_M)
    else:
        whole = n_ctx // BLOCK_N * BLOCK_N
        end = n_ctx
    log2_scale = scale * LOG2_E
    acc, total, largest = attend(acc, total, largest, q, k_ptrs, v_ptrs, rows, 0, whole, n_ctx, log2_scale,
                                 stride_kn, stride_vn, BLOCK_N, CAUSAL, MASKED=False)
    acc, total, largest = attend(acc, total, largest, q, k_ptrs, v_ptrs, rows, whole, end, n_ctx, log2_scale,
                                 stride_kn, stride_vn, BLOCK_N, CAUSAL, MASKED=True)

    o = acc / total[:, None]
    tl.store(o_ptr + rows[:, None] * stride_on + dims[None, :], o.to(o_ptr.dtype.element_ty), mask=row_mask[:, None])
    # The log of the softmax's denominator, which a backward pass wants.
    tl.store(lse_ptr + rows, (largest + tl.log2(total)) * LN_2, mask=row_mask)


def attention(q, k, v, causal, scale=None, block_m=64, block_n=32):
    """(output, log-sum-exp) for [batch, heads, sequence, dim]; dim is a power of two of at least 16."""
    batch, heads, n_ctx, dim = q.shape
    o = torch.empty_like(q)
    lse = torch.empty((batch, heads, n_ctx), dtype=torch.float32, device=q.device)
    scale = dim**-0.5 if scale is None else scale
    attention_kernel[(triton.cdiv(n_ctx, block_m), batch * heads)](
        q, k, v, o, lse, scale, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *o.stride()[:3], heads, n_ctx,
        HEAD_DIM=dim, BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal)
    return o, lse


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for dtype, tolerance in ((torch.float16, 4e-3), (torch.float32, 4e-3)):
        for shape in ((1, 1, 1, 16), (2, 3, 100, 32), (1, 2, 193, 64)):
            q, k, v = (torch.randn(shape, device=device).to(dtype) for _ in range(3))
            for causal in (False, True):
                o, lse = attention(q, k, v, causal)
                scores = q.double() @ k.double().transpose(2, 3) * shape[3]**-0.5
                if causal:
                    scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -float("inf"))
                error = (o.double() - torch.softmax(scores, -1) @ v.double()).abs().max().item()
                print(f"{str(dtype):14} {str(shape):17} causal={str(causal):5} largest difference from torch: {error:.1e}")
                assert error < tolerance and (lse - torch.logsumexp(scores, -1)).abs().max().item() < tolerance
