"""Attention while text is generated: one query for each sequence, keys and values in pages or along tokens."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


@triton.jit
def paged_kernel(q_ptr, k_ptr, v_ptr, pages_ptr, lengths_ptr, o_ptr, scale, sqb, sqh, sp, sph, spt, most, RATIO: tl.constexpr,
                 GROUP: tl.constexpr, PAGE: tl.constexpr, D: tl.constexpr):
    """The query heads of a key head as the rows of a small product; a page of keys at a time."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    length = tl.load(lengths_ptr + sequence)
    g = tl.arange(0, GROUP)
    d = tl.arange(0, D)
    t = tl.arange(0, PAGE)
    q = tl.load(q_ptr + sequence * sqb + (head * RATIO + g)[:, None] * sqh + d[None, :], mask=g[:, None] < RATIO, other=0.0)
    top = tl.full((GROUP,), -1e30, tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, D), tl.float32)
    for page in range(tl.cdiv(length, PAGE)):
        number = tl.load(pages_ptr + sequence * most + page).to(tl.int64)
        place = number * sp + head * sph
        k = tl.load(k_ptr + place + t[None, :] * spt + d[:, None])
        v = tl.load(v_ptr + place + t[:, None] * spt + d[None, :])
        s = tl.dot(q, k) * scale
        s = tl.where(page * PAGE + t[None, :] < length, s, -1e30)
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        top = higher
    place = o_ptr + sequence * sqb + (head * RATIO + g)[:, None] * sqh + d[None, :]
    tl.store(place, (acc / total[:, None]).to(o_ptr.dtype.element_ty), mask=g[:, None] < RATIO)


def paged_inputs(w, page, D=128):
    B, H, KH, longest = w.pick(32, 2), w.pick(32, 4), w.pick(8, 2), w.pick(2048, 96)
    per = triton.cdiv(longest, page)
    lengths = w.randint(longest // 4, longest + 1, (B,), torch.int32)
    pages = torch.randperm(B * per, device=lengths.device).to(torch.int32).view(B, per)
    q = w.randn(B, H, D)
    k, v = w.randn(B * per, KH, page, D), w.randn(B * per, KH, page, D)

    def reference():
        rows = []
        for b in range(B):
            keys, values = (t[pages[b].long()].float().transpose(0, 1).flatten(1, 2)[:, :int(lengths[b])] for t in (k, v))
            s = torch.einsum("hgd,htd->hgt", q[b].float().view(KH, H // KH, D), keys) * D**-0.5
            rows.append(torch.einsum("hgt,htd->hgd", s.softmax(-1), values).reshape(H, D))
        return torch.stack(rows)
    return q, k, v, pages, lengths, reference


@operator(suspect=True, variants=[dict(page=16), dict(page=64), dict(page=128)])
def paged_attention(w, page):
    q, k, v, pages, lengths, reference = paged_inputs(w, page)
    (B, H, D), KH = q.shape, k.shape[1]

    def call():
        o = torch.empty_like(q)
        paged_kernel[(B, KH)](q, k, v, pages, lengths, o, D**-0.5, *q.stride()[:2], *k.stride()[:3], pages.shape[1], H // KH, 16, page, D,
                              num_warps=4, num_stages=3)
        return o
    return Case(call, reference)


@triton.jit
def split_decode_kernel(q_ptr, k_ptr, v_ptr, part_ptr, lse_ptr, lengths_ptr, scale, H, T, sqb, sqh, skb, skh, skt, RATIO: tl.constexpr,
                        GROUP: tl.constexpr, SPLITS: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """One part of the keys; the parts are put together by combine_kernel."""
    sequence, head, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths_ptr + sequence)
    span = tl.cdiv(tl.cdiv(length, SPLITS), BN) * BN
    begin = split * span
    end = min(begin + span, length)
    g = tl.arange(0, GROUP)
    d = tl.arange(0, D)
    rows = head * RATIO + g
    q = tl.load(q_ptr + sequence * sqb + rows[:, None] * sqh + d[None, :], mask=g[:, None] < RATIO, other=0.0)
    top = tl.full((GROUP,), -1e30, tl.float32)
    total = tl.zeros((GROUP,), tl.float32)
    acc = tl.zeros((GROUP, D), tl.float32)
    base = sequence.to(tl.int64) * skb + head * skh
    for start in range(begin, end, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + n[None, :] * skt + d[:, None], mask=n[None, :] < end, other=0.0)
        s = tl.where(n[None, :] < end, tl.dot(q, k) * scale, -1e30)
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptr + base + n[:, None] * skt + d[None, :], mask=n[:, None] < end, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        top = higher
    place = (sequence * H + rows) * SPLITS + split
    some = total > 0
    tl.store(part_ptr + place[:, None] * D + d[None, :], acc / tl.where(some, total, 1.0)[:, None], mask=g[:, None] < RATIO)
    tl.store(lse_ptr + place, tl.where(some, top + tl.log(tl.where(some, total, 1.0)), -1e30), mask=g < RATIO)


@triton.jit
def combine_kernel(part_ptr, lse_ptr, o_ptr, SPLITS: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    s = tl.arange(0, SPLITS)
    d = tl.arange(0, D)
    lse = tl.load(lse_ptr + row * SPLITS + s)
    weight = tl.exp(lse - tl.max(lse, 0))
    parts = tl.load(part_ptr + (row * SPLITS + s)[:, None] * D + d[None, :])
    o = tl.sum(parts * weight[:, None], 0) / tl.sum(weight, 0)
    tl.store(o_ptr + row * D + d, o.to(o_ptr.dtype.element_ty))


@operator(suspect=True, variants=[dict(B=4), dict(B=64)])
def split_decode_attention(w, B):
    B, H, KH, T, D = w.pick(B, 2), w.pick(32, 4), w.pick(8, 2), w.pick(4096, 160), 128
    q, k, v = w.randn(B, H, D), w.randn(B, KH, T, D), w.randn(B, KH, T, D)
    lengths = w.randint(T // 2, T + 1, (B,), torch.int32)

    def call():
        part = torch.empty((B, H, 8, D), device=q.device, dtype=torch.float32)
        lse = torch.empty((B, H, 8), device=q.device, dtype=torch.float32)
        o = torch.empty_like(q)
        split_decode_kernel[(B, KH, 8)](q, k, v, part, lse, lengths, D**-0.5, H, T, *q.stride()[:2], *k.stride()[:3], H // KH, 16, 8, 64, D,
                                        num_warps=4, num_stages=2)
        combine_kernel[(B * H,)](part, lse, o, 8, D)
        return o

    def reference():
        s = torch.einsum("bhgd,bhtd->bhgt", q.float().view(B, KH, H // KH, D), k.float()) * D**-0.5
        s = s.masked_fill(w.arange(T)[None, None, None, :] >= lengths[:, None, None, None], float("-inf"))
        return torch.einsum("bhgt,bhtd->bhgd", s.softmax(-1), v.float()).reshape(B, H, D)
    return Case(call, reference)


# ---- token by token, without a product ------------------------------------------------------------

@triton.jit
def token_scores_kernel(q_ptr, k_ptr, slots_ptr, starts_ptr, lengths_ptr, out_ptr, scale, sqb, sqh, skt, skh, soh, RATIO: tl.constexpr,
                        BN: tl.constexpr, D: tl.constexpr):
    sequence, head = tl.program_id(0), tl.program_id(1)
    begin, length = tl.load(starts_ptr + sequence), tl.load(lengths_ptr + sequence)
    n = tl.program_id(2) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    if tl.program_id(2) * BN < length:
        q = tl.load(q_ptr + sequence * sqb + head * sqh + d).to(tl.float32)
        slot = tl.load(slots_ptr + begin + n, mask=n < length, other=0)
        k = tl.load(k_ptr + slot[:, None] * skt + (head // RATIO) * skh + d[None, :], mask=n[:, None] < length, other=0.0)
        s = tl.sum(q[None, :] * k.to(tl.float32), 1) * scale
        tl.store(out_ptr + head * soh + begin + n, s, mask=n < length)


@triton.jit
def token_softmax_values_kernel(s_ptr, v_ptr, slots_ptr, starts_ptr, lengths_ptr, o_ptr, ssh, svt, svh, sob, soh, RATIO: tl.constexpr,
                                BN: tl.constexpr, D: tl.constexpr):
    """The softmax of one row of scores, times the values, in one loop over the tokens."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    begin, length = tl.load(starts_ptr + sequence), tl.load(lengths_ptr + sequence)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    values = v_ptr + (head // RATIO) * svh + d[None, :]
    top = float("-inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, length, BN):
        start = tl.multiple_of(start, BN)
        slot = tl.load(slots_ptr + begin + start + n, mask=start + n < length, other=0)
        s = tl.load(s_ptr + head * ssh + begin + start + n, mask=start + n < length, other=float("-inf"))
        higher = tl.maximum(tl.max(s, 0), top)
        shrink = tl.exp(top - higher)
        p = tl.exp(s - higher)
        total = total * shrink + tl.sum(p, 0)
        v = tl.load(values + slot[:, None] * svt)
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)
        top = higher
    tl.store(o_ptr + sequence * sob + head * soh + d, (acc / total).to(o_ptr.dtype.element_ty))


@operator(suspect=True, variants=[dict(BN=64, warps=4), dict(BN=128, warps=4)])
def token_attention(w, BN, warps):
    B, H, KH, T, D = w.pick(16, 2), w.pick(32, 4), w.pick(8, 2), w.pick(1024, 96), 128
    lengths = w.randint(T // 2, T + 1, (B,), torch.int32)
    starts = (lengths.cumsum(0) - lengths).to(torch.int32)
    tokens = int(lengths.sum())
    slots = torch.randperm(B * T, device=lengths.device)[:tokens].to(torch.int32)
    q, k, v = w.randn(B, H, D), w.randn(B * T, KH, D), w.randn(B * T, KH, D)

    def call():
        scores = torch.empty((H, tokens), device=q.device, dtype=torch.float32)
        o = torch.empty_like(q)
        token_scores_kernel[(B, H, triton.cdiv(T, 64))](q, k, slots, starts, lengths, scores, D**-0.5, *q.stride()[:2], *k.stride()[:2],
                                                        scores.stride(0), H // KH, 64, D, num_warps=4, num_stages=1)
        token_softmax_values_kernel[(B, H)](scores, v, slots, starts, lengths, o, scores.stride(0), *v.stride()[:2], *o.stride()[:2],
                                            H // KH, BN, D, num_warps=warps, num_stages=3)
        return o

    def reference():
        rows = []
        for b in range(B):
            chosen = slots[int(starts[b]):int(starts[b]) + int(lengths[b])].long()
            keys, values = (t[chosen].float().repeat_interleave(H // KH, 1) for t in (k, v))
            s = torch.einsum("hd,thd->ht", q[b].float(), keys) * D**-0.5
            rows.append(torch.einsum("ht,thd->hd", s.softmax(-1), values))
        return torch.stack(rows)
    return Case(call, reference)




# ---- writing into pages ---------------------------------------------------------------------------

@triton.jit
def store_pages_kernel(new_ptr, cache_ptr, slots_ptr, st, sh, cp, ch, ct, PAGE: tl.constexpr, HEADS: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slots_ptr + token)
    if slot >= 0:
        h = tl.arange(0, HEADS)
        d = tl.arange(0, D)
        x = tl.load(new_ptr + token * st + h[:, None] * sh + d[None, :])
        place = (slot // PAGE).to(tl.int64) * cp + h[:, None] * ch + (slot % PAGE) * ct + d[None, :]
        tl.store(cache_ptr + place, x)


@operator()
def store_pages(w):
    tokens, H, D, PAGE = w.pick(8192, 64), 8, 128, 16
    new = w.randn(tokens, H, D)
    slots = torch.randperm(tokens * 2, device=new.device)[:tokens].to(torch.int64)

    def call():
        cache = torch.zeros((tokens * 2 // PAGE, H, PAGE, D), device=new.device, dtype=new.dtype)
        store_pages_kernel[(tokens,)](new, cache, slots, *new.stride()[:2], *cache.stride()[:3], PAGE, H, D)
        return cache

    def reference():
        cache = torch.zeros((tokens * 2 // PAGE, PAGE, H, D), device=new.device, dtype=new.dtype)
        cache.view(-1, H, D)[slots] = new
        return cache.transpose(1, 2)
    return Case(call, reference, exact=True)
