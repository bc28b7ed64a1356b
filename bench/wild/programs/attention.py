"""Attention: forward, backward, over sequences of different lengths, with windows and biases."""
import math

import triton
import triton.language as tl

from corpus import Case, operator, torch

LOG2E = math.log2(math.e)


def plain_attention(q, k, v, causal, scale, bias=None):
    """Shapes [..., tokens, D], in double precision on the CPU and single precision on a GPU."""
    wide = torch.float64 if q.device.type == "cpu" else torch.float32
    q, k, v = q.to(wide), k.to(wide), v.to(wide)
    scores = q @ k.transpose(-1, -2) * scale
    if bias is not None:
        scores = scores + bias.to(wide)
    if causal:
        tokens, keys = scores.shape[-2:]
        later = torch.ones(tokens, keys, dtype=torch.bool, device=q.device).triu(1 + keys - tokens)
        scores = scores.masked_fill(later, float("-inf"))
    return scores.softmax(-1) @ v


@triton.jit
def forward_kernel(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, scale, sb, sh, st, sd, H, T, CAUSAL: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    base = (head // H).to(tl.int64) * sb + (head % H).to(tl.int64) * sh
    first = tl.program_id(0) * BM
    m = first + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + m[:, None] * st + d[None, :] * sd, mask=m[:, None] < T, other=0.0)
    k = k_ptr + base + d[:, None] * sd + n[None, :] * st
    v = v_ptr + base + n[:, None] * st + d[None, :] * sd
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = min(first + BM, T) if CAUSAL else T
    for start in range(0, end, BN):
        keys = start + n
        s = tl.dot(q, tl.load(k + start * st, mask=keys[None, :] < T, other=0.0)) * (scale * 1.4426950408889634)
        seen = keys[None, :] < T
        if CAUSAL:
            seen = seen & (m[:, None] >= keys[None, :])
        s = tl.where(seen, s, -1e30)
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(v_ptr.dtype.element_ty), tl.load(v + start * st, mask=keys[:, None] < T, other=0.0), acc)
        top = higher
    acc = acc / total[:, None]
    tl.store(lse_ptr + head * T + m, top + tl.log2(total), mask=m < T)
    tl.store(o_ptr + base + m[:, None] * st + d[None, :] * sd, acc.to(o_ptr.dtype.element_ty), mask=m[:, None] < T)


def forward(q, k, v, causal, BM, BN, warps, stages):
    B, H, T, D = q.shape
    o = torch.empty_like(q)
    lse = torch.empty((B * H, T), device=q.device, dtype=torch.float32)
    forward_kernel[(triton.cdiv(T, BM), B * H)](q, k, v, o, lse, D**-0.5, *q.stride(), H, T, causal, BM, BN, D,
                                                num_warps=warps, num_stages=stages)
    return o, lse


def heads(w, B, H, T, D, dtype=None):
    return [w.randn(w.pick(B, 1), w.pick(H, 2), w.pick(T, 160), D, dtype=dtype) for _ in range(3)]


@operator(variants=[dict(causal=False, D=64), dict(causal=True, D=64), dict(causal=False, D=128), dict(causal=True, D=128)])
def attention(w, causal, D):
    q, k, v = heads(w, 4, 16, 2048, D)
    return Case(lambda: forward(q, k, v, causal, 128, 64, 4 if D == 64 else 8, 3)[0], lambda: plain_attention(q, k, v, causal, D**-0.5))


@operator()
def attention_bf16_small_batch(w):
    q, k, v = heads(w, 1, 8, 1000, 64, torch.bfloat16)
    return Case(lambda: forward(q, k, v, True, 64, 64, 4, 2)[0], lambda: plain_attention(q, k, v, True, 0.125))


@operator(suspect=True, variants=[dict(T=1000, pad=3), dict(T=513, pad=1)])
def attention_odd_strides(w, T, pad):
    """Tiles of 64 rows whose rows are no multiple of 8 elements apart."""
    B, H, D = w.pick(4, 1), w.pick(16, 2), 64
    q, k, v = (w.randn(B, H, w.pick(T, 131), D + pad)[..., :D] for _ in range(3))

    def call():
        o = torch.empty_strided(q.shape, q.stride(), dtype=q.dtype, device=q.device)
        lse = torch.empty((B * H, q.shape[2]), device=q.device, dtype=torch.float32)
        forward_kernel[(triton.cdiv(q.shape[2], 64), B * H)](q, k, v, o, lse, D**-0.5, *q.stride(), H, q.shape[2], False, 64, 64, D,
                                                             num_warps=4, num_stages=2)
        return o
    return Case(call, lambda: plain_attention(q, k, v, False, D**-0.5))


# ---- backward -------------------------------------------------------------------------------------

@triton.jit
def delta_kernel(o_ptr, do_ptr, delta_ptr, T, BM: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    place = (tl.program_id(1) * T + m)[:, None] * D + tl.arange(0, D)[None, :]
    o = tl.load(o_ptr + place, mask=m[:, None] < T, other=0.0).to(tl.float32)
    do = tl.load(do_ptr + place, mask=m[:, None] < T, other=0.0).to(tl.float32)
    tl.store(delta_ptr + tl.program_id(1) * T + m, tl.sum(o * do, 1), mask=m < T)


@triton.jit
def keys_backward_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, scale, T, CAUSAL: tl.constexpr, BM: tl.constexpr,
                         BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    base = head.to(tl.int64) * T * D
    first = tl.program_id(0) * BN
    n = first + tl.arange(0, BN)
    d = tl.arange(0, D)
    inside = n[:, None] < T
    k = tl.load(k_ptr + base + n[:, None] * D + d[None, :], mask=inside, other=0.0)
    v = tl.load(v_ptr + base + n[:, None] * D + d[None, :], mask=inside, other=0.0)
    dk = tl.zeros((BN, D), tl.float32)
    dv = tl.zeros((BN, D), tl.float32)
    begin = first // BM * BM if CAUSAL else 0
    for start in range(begin, T, BM):
        m = start + tl.arange(0, BM)
        q = tl.load(q_ptr + base + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
        do = tl.load(do_ptr + base + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
        lse = tl.load(lse_ptr + head * T + m, mask=m < T, other=0.0)
        delta = tl.load(delta_ptr + head * T + m, mask=m < T, other=0.0)
        s = tl.dot(k, tl.trans(q)) * (scale * 1.4426950408889634)
        seen = (n[:, None] < T) & (m[None, :] < T)
        if CAUSAL:
            seen = seen & (m[None, :] >= n[:, None])
        p = tl.where(seen, tl.exp2(s - lse[None, :]), 0.0)
        dv += tl.dot(p.to(do.dtype), do)
        ds = p * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk += tl.dot(ds.to(q.dtype), q)
    tl.store(dk_ptr + base + n[:, None] * D + d[None, :], (dk * scale).to(dk_ptr.dtype.element_ty), mask=inside)
    tl.store(dv_ptr + base + n[:, None] * D + d[None, :], dv.to(dv_ptr.dtype.element_ty), mask=inside)


@triton.jit
def queries_backward_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, scale, T, CAUSAL: tl.constexpr, BM: tl.constexpr,
                            BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    base = head.to(tl.int64) * T * D
    first = tl.program_id(0) * BM
    m = first + tl.arange(0, BM)
    d = tl.arange(0, D)
    inside = m[:, None] < T
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :], mask=inside, other=0.0)
    do = tl.load(do_ptr + base + m[:, None] * D + d[None, :], mask=inside, other=0.0)
    lse = tl.load(lse_ptr + head * T + m, mask=m < T, other=0.0)
    delta = tl.load(delta_ptr + head * T + m, mask=m < T, other=0.0)
    dq = tl.zeros((BM, D), tl.float32)
    end = min(first + BM, T) if CAUSAL else T
    for start in range(0, end, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + d[:, None] + n[None, :] * D, mask=n[None, :] < T, other=0.0)
        v = tl.load(v_ptr + base + d[:, None] + n[None, :] * D, mask=n[None, :] < T, other=0.0)
        s = tl.dot(q, k) * (scale * 1.4426950408889634)
        seen = (m[:, None] < T) & (n[None, :] < T)
        if CAUSAL:
            seen = seen & (m[:, None] >= n[None, :])
        p = tl.where(seen, tl.exp2(s - lse[:, None]), 0.0)
        ds = p * (tl.dot(do, v) - delta[:, None])
        dq += tl.dot(ds.to(k.dtype), tl.trans(k))
    tl.store(dq_ptr + base + m[:, None] * D + d[None, :], (dq * scale).to(dq_ptr.dtype.element_ty), mask=inside)


@operator(variants=[dict(causal=False, D=64), dict(causal=True, D=64), dict(causal=True, D=128)])
def attention_backward(w, causal, D):
    q, k, v = heads(w, 2, 16, 2048, D)
    B, H, T, _ = q.shape
    do, scale = w.randn(B, H, T, D), D**-0.5
    o, lse = forward(q, k, v, causal, 64, 64, 4, 2)
    tile, warps = (128, 8) if D == 64 else (64, 4)

    def call():
        delta = torch.empty_like(lse)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        delta_kernel[(triton.cdiv(T, 128), B * H)](o, do, delta, T, 128, D)
        keys_backward_kernel[(triton.cdiv(T, tile), B * H)](q, k, v, do, lse, delta, dk, dv, scale, T, causal, 64, tile, D,
                                                            num_warps=warps, num_stages=2)
        queries_backward_kernel[(triton.cdiv(T, tile), B * H)](q, k, v, do, lse, delta, dq, scale, T, causal, tile, 64, D,
                                                               num_warps=warps, num_stages=2)
        return dq, dk, dv

    def reference():
        wide = [t.detach().to(torch.float32).requires_grad_() for t in (q, k, v)]
        plain_attention(*wide, causal, scale).backward(do.to(torch.float64 if q.device.type == "cpu" else torch.float32))
        return tuple(t.grad for t in wide)
    return Case(call, reference)


# ---- sequences of different lengths ---------------------------------------------------------------

@triton.jit
def varlen_kernel(q_ptr, k_ptr, v_ptr, o_ptr, starts_ptr, scale, sqt, sqh, skt, skh, svt, svh, sot, soh, RATIO: tl.constexpr,
                  CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """Tokens of all sequences lie one behind the other; several query heads share a key head."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    begin = tl.load(starts_ptr + sequence)
    length = tl.load(starts_ptr + sequence + 1) - begin
    first = tl.program_id(2) * BM
    if first < length:
        m = first + tl.arange(0, BM)
        n = tl.arange(0, BN)
        d = tl.arange(0, D)
        q = tl.load(q_ptr + (begin + m[:, None]) * sqt + head * sqh + d[None, :], mask=m[:, None] < length, other=0.0)
        k = k_ptr + n[None, :] * skt + (head // RATIO) * skh + d[:, None]
        v = v_ptr + n[:, None] * svt + (head // RATIO) * svh + d[None, :]
        top = tl.zeros((BM,), tl.float32) - float("inf")
        total = tl.zeros((BM,), tl.float32)
        acc = tl.zeros((BM, D), tl.float32)
        end = min(first + BM, length) if CAUSAL else length
        for start in range(0, end, BN):
            start = tl.multiple_of(start, BN)
            keys = start + n
            kk = tl.load(k + (begin + start) * skt, mask=keys[None, :] < length, other=0.0)
            s = tl.zeros((BM, BN), tl.float32)
            s += tl.dot(q, kk)
            s *= scale
            if CAUSAL:
                s = tl.where((m[:, None] >= keys[None, :]) & (keys[None, :] < length), s, -1e9)
            else:
                s = tl.where(keys[None, :] < length, s, -1e9)
            higher = tl.maximum(top, tl.max(s, 1))
            p = tl.exp(s - higher[:, None])
            shrink = tl.exp(top - higher)
            total = total * shrink + tl.sum(p, 1)
            acc = acc * shrink[:, None]
            vv = tl.load(v + (begin + start) * svt, mask=keys[:, None] < length, other=0.0)
            acc += tl.dot(p.to(vv.dtype), vv)
            top = higher
        acc = acc / total[:, None]
        tl.store(o_ptr + (begin + m[:, None]) * sot + head * soh + d[None, :], acc.to(o_ptr.dtype.element_ty), mask=m[:, None] < length)


def varlen_inputs(w, H, KH, D):
    lengths = w.pick([1024, 517, 2048, 33, 1500, 800], [100, 37])
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    q, k, v = w.randn(starts[-1], H, D), w.randn(starts[-1], KH, D), w.randn(starts[-1], KH, D)
    return q, k, v, starts, max(lengths)


@operator(suspect=True, variants=[dict(warps=4, D=128, causal=True), dict(warps=8, D=128, causal=True), dict(warps=8, D=128, causal=False),
                                  dict(warps=4, D=64, causal=True)])
def varlen_attention(w, warps, D, causal):
    """One loop, not pipelined, 128 by 128 tiles: the prefill of many serving systems."""
    H, KH = w.pick(32, 4), w.pick(8, 2)
    q, k, v, starts, longest = varlen_inputs(w, H, KH, D)
    offsets = w.tensor(starts, torch.int32)

    def call():
        o = torch.empty_like(q)
        varlen_kernel[(len(starts) - 1, H, triton.cdiv(longest, 128))](
            q, k, v, o, offsets, D**-0.5, *q.stride()[:2], *k.stride()[:2], *v.stride()[:2], *o.stride()[:2], H // KH, causal, 128, 128, D,
            num_warps=warps, num_stages=1)
        return o

    def reference():
        parts = []
        for i in range(len(starts) - 1):
            qs = q[starts[i]:starts[i + 1]].transpose(0, 1)
            ks, vs = (t[starts[i]:starts[i + 1]].transpose(0, 1).repeat_interleave(H // KH, 0) for t in (k, v))
            parts.append(plain_attention(qs, ks, vs, causal, D**-0.5).transpose(0, 1))
        return torch.cat(parts)
    return Case(call, reference)


# ---- windows and biases ---------------------------------------------------------------------------

@triton.jit
def window_kernel(q_ptr, k_ptr, v_ptr, slopes_ptr, o_ptr, scale, T, H, WINDOW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  D: tl.constexpr):
    """Each query sees the last WINDOW keys, with a penalty by distance and scores capped by tanh."""
    head = tl.program_id(1)
    base = head.to(tl.int64) * T * D
    slope = tl.load(slopes_ptr + head % H)
    first = tl.program_id(0) * BM
    m = first + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
    top = tl.full((BM,), -1e30, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    begin = max(first - WINDOW + 1, 0) // BN * BN
    for start in range(begin, min(first + BM, T), BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + d[:, None] + n[None, :] * D, mask=n[None, :] < T, other=0.0)
        s = tl.dot(q, k) * scale
        e = tl.exp(-2.0 * tl.abs(s) / 30.0)
        s = 30.0 * (1.0 - e) / (1.0 + e) * tl.where(s < 0, -1.0, 1.0)
        distance = m[:, None] - n[None, :]
        s -= slope * distance
        seen = (distance >= 0) & (distance < WINDOW)
        s = tl.where(seen, s, -1e30)
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.where(seen, tl.exp(s - higher[:, None]), 0.0)
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptr + base + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        top = higher
    tl.store(o_ptr + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(o_ptr.dtype.element_ty), mask=m[:, None] < T)


@operator()
def window_attention(w):
    q, k, v = heads(w, 2, 16, 4096, 64)
    B, H, T, D = q.shape
    window = w.pick(512, 48)
    slopes = torch.exp2(-torch.arange(1, H + 1, device=q.device, dtype=torch.float32) / 2)

    def call():
        o = torch.empty_like(q)
        window_kernel[(triton.cdiv(T, 64), B * H)](q, k, v, slopes, o, D**-0.5, T, H, window, 64, 64, D, num_warps=4, num_stages=2)
        return o

    def reference():
        s = q.float() @ k.float().transpose(-1, -2) * D**-0.5
        distance = w.arange(T)[:, None] - w.arange(T)[None, :]
        s = 30 * torch.tanh(s / 30) - slopes[:, None, None] * distance
        s = s.masked_fill((distance < 0) | (distance >= window), float("-inf"))
        return s.softmax(-1) @ v.float()
    return Case(call, reference)


@triton.jit
def block_sparse_kernel(q_ptr, k_ptr, v_ptr, o_ptr, lists_ptr, counts_ptr, scale, T, most, BLOCK: tl.constexpr, D: tl.constexpr):
    """A list of key blocks for each block of queries."""
    head = tl.program_id(1)
    base = head.to(tl.int64) * T * D
    place = head * tl.num_programs(0) + tl.program_id(0)
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :])
    top = tl.full((BLOCK,), -1e30, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    acc = tl.zeros((BLOCK, D), tl.float32)
    for i in range(tl.load(counts_ptr + place)):
        n = tl.load(lists_ptr + place * most + i) * BLOCK + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + base + d[:, None] + n[None, :] * D)
        s = tl.dot(q, k) * scale
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None] + tl.dot(p.to(q.dtype), tl.load(v_ptr + base + n[:, None] * D + d[None, :]))
        top = higher
    tl.store(o_ptr + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(o_ptr.dtype.element_ty))


@operator()
def block_sparse_attention(w):
    B, H, T, D, BLOCK = w.pick(2, 1), w.pick(16, 2), w.pick(4096, 256), 64, 64
    q, k, v = (w.randn(B, H, T, D) for _ in range(3))
    blocks = T // BLOCK
    chosen = torch.rand(B * H, blocks, blocks, device=q.device) < 0.2
    chosen |= torch.eye(blocks, dtype=torch.bool, device=q.device)
    counts = chosen.sum(-1).to(torch.int32)
    lists = torch.argsort(chosen.to(torch.int8), dim=-1, descending=True, stable=True).to(torch.int32)

    def call():
        o = torch.empty_like(q)
        block_sparse_kernel[(blocks, B * H)](q, k, v, o, lists, counts, D**-0.5, T, blocks, BLOCK, D, num_warps=4, num_stages=3)
        return o

    def reference():
        s = q.float() @ k.float().transpose(-1, -2) * D**-0.5
        seen = chosen.view(B, H, blocks, blocks).repeat_interleave(BLOCK, 2).repeat_interleave(BLOCK, 3)
        return s.masked_fill(~seen, float("-inf")).softmax(-1) @ v.float()
    return Case(call, reference)
