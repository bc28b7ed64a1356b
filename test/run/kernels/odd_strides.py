"""Rows at any distance: every access moves one element."""
import triton
import triton.language as tl


# signature: *fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,i32,i32,64,64,64,64
# signature: *fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,i32,i32,80,64,64,128 --num-stages 1
@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, stride_q, stride_k, stride_v, stride_o, queries, keys, D: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, BLOCK_D)
    q = tl.load(q_ptr + m[:, None] * stride_q + d[None, :], mask=(m[:, None] < queries) & (d[None, :] < D), other=0.0)
    highest = tl.full((BLOCK_M,), -1.0e30, tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
    k_ptrs = k_ptr + n[:, None] * stride_k + d[None, :]
    v_ptrs = v_ptr + n[:, None] * stride_v + d[None, :]
    for start in range(0, keys, BLOCK_N):
        inside = (start + n[:, None] < keys) & (d[None, :] < D)
        k = tl.load(k_ptrs + start * stride_k, mask=inside, other=0.0)
        scores = tl.where(start + n[None, :] < keys, tl.dot(q, tl.trans(k)), float("-inf"))
        now = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        scale = tl.exp2(highest - now)
        total = total * scale + tl.sum(weights, 1)
        v = tl.load(v_ptrs + start * stride_v, mask=inside, other=0.0)
        acc = acc * scale[:, None] + tl.dot(weights.to(v.dtype), v)
        highest = now
    tl.store(out_ptr + m[:, None] * stride_o + d[None, :], acc / total[:, None],
             mask=(m[:, None] < queries) & (d[None, :] < D))


# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32,i32,64,32,False
# signature: *i8:16,*i8:16,*fp32:16,i32,i32,i32,64,32,True
@triton.jit
def product(a_ptr, b_ptr, out_ptr, stride_a, stride_b, K, T: tl.constexpr, BLOCK_K: tl.constexpr, TRANSPOSED: tl.constexpr):
    row, inner = tl.arange(0, T), tl.arange(0, BLOCK_K)
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + row[:, None] * stride_a + (k + inner)[None, :], mask=(k + inner)[None, :] < K, other=0)
        if TRANSPOSED:
            b = tl.load(b_ptr + row[:, None] * stride_b + (k + inner)[None, :], mask=(k + inner)[None, :] < K, other=0).T
        else:
            b = tl.load(b_ptr + (k + inner)[:, None] * stride_b + row[None, :], mask=(k + inner)[:, None] < K, other=0)
        acc += tl.dot(a, b)
    tl.store(out_ptr + row[:, None] * T + row[None, :], acc)
