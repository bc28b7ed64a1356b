"""Mixtures of experts: routing, sorting tokens by expert, products over chosen rows; and convolutions as products."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


@triton.jit
def experts_kernel(a_ptr, b_ptr, c_ptr, tokens_ptr, experts_ptr, weights_ptr, N, K, valid, sbe, sbn, TOP: tl.constexpr, WEIGHT: tl.constexpr,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A block of rows belongs to one expert; the rows' places are read from a list."""
    place = tl.program_id(0) * BM + tl.arange(0, BM)
    row = tl.load(tokens_ptr + place).to(tl.int64)
    inside = row < valid
    expert = tl.load(experts_ptr + tl.program_id(0)).to(tl.int64)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + (row // TOP)[:, None] * K + k[None, :]
    b = b_ptr + expert * sbe + n[None, :] * sbn + k[:, None]
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a, mask=inside[:, None] & (k[None, :] < K - start), other=0.0)
        y = tl.load(b, mask=k[:, None] < K - start, other=0.0)
        acc += tl.dot(x, y)
        a += BK
        b += BK
    if WEIGHT:
        acc *= tl.load(weights_ptr + row, mask=inside, other=0.0)[:, None]
    tl.store(c_ptr + row[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=inside[:, None])


def by_expert(chosen, experts, BM):
    """Rows sorted by expert, each expert's padded to a multiple of BM; the expert of every block."""
    flat = chosen.flatten()
    order = torch.argsort(flat, stable=True)
    counts = torch.bincount(flat, minlength=experts)
    padded = (counts + BM - 1) // BM * BM
    starts, sorted_starts = padded.cumsum(0) - padded, counts.cumsum(0) - counts
    tokens = torch.full((int(padded.sum()),), flat.numel(), device=flat.device, dtype=torch.int32)
    within = torch.arange(flat.numel(), device=flat.device) - sorted_starts[flat[order]]
    tokens[starts[flat[order]] + within] = order.to(torch.int32)
    return tokens, torch.repeat_interleave(torch.arange(experts, device=flat.device), padded // BM).to(torch.int32)


@operator(suspect=True, variants=[dict(T=32, BM=16), dict(T=4096, BM=64)])
def experts_product(w, T, BM):
    T, E, TOP, N, K = w.pick(T, 20), w.pick(32, 4), 2, w.pick(1792, 128), w.pick(2048, 100)
    a, b = w.randn(T, K, dtype=torch.bfloat16), w.randn(E, N, K, dtype=torch.bfloat16)
    weights, chosen = torch.topk(torch.softmax(torch.randn(T, E, device=a.device), -1), TOP)
    tokens, blocks = by_expert(chosen, E, BM)

    def call():
        c = torch.empty((T * TOP, N), device=a.device, dtype=a.dtype)
        experts_kernel[(len(blocks), N // 64)](a, b, c, tokens, blocks, weights, N, K, T * TOP, *b.stride()[:2], TOP, True, BM, 64, 64,
                                               num_warps=4, num_stages=4)
        return c

    def reference():
        rows = [weights.flatten()[i] * (b[chosen.flatten()[i]].float() @ a[i // TOP].float()) for i in range(T * TOP)]
        return torch.stack(rows)

    def by_experts():
        c = torch.empty((T * TOP, N), device=a.device, dtype=torch.float32)
        flat = chosen.flatten()
        for expert in range(E):
            rows = (flat == expert).nonzero().flatten()
            c[rows] = a[rows // TOP].float() @ b[expert].float().t() * weights.flatten()[rows, None]
        return c
    return Case(call, reference if w.small else by_experts)


@triton.jit
def route_kernel(x_ptr, weights_ptr, index_ptr, E, TOP: tl.constexpr, BLOCK: tl.constexpr):
    """Softmax over the experts, then the TOP best, one after the other, renormalised."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * E + i, mask=i < E, other=float("-inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, 0))
    p = p / tl.sum(p, 0)
    k = tl.arange(0, TOP)
    best = tl.zeros((TOP,), tl.float32)
    where = tl.zeros((TOP,), tl.int32)
    for step in tl.static_range(TOP):
        value, place = tl.max(p, 0, return_indices=True)
        best = tl.where(k == step, value, best)
        where = tl.where(k == step, place, where)
        p = tl.where(i == place, -1.0, p)
    tl.store(weights_ptr + row * TOP + k, best / tl.sum(best, 0))
    tl.store(index_ptr + row * TOP + k, where)


@operator(variants=[dict(E=8, TOP=2), dict(E=256, TOP=8)])
def route(w, E, TOP):
    x = w.randn(w.pick(8192, 40), E, dtype=torch.float32)

    def call():
        weights = torch.empty((x.shape[0], TOP), device=x.device, dtype=torch.float32)
        index = torch.empty((x.shape[0], TOP), device=x.device, dtype=torch.int32)
        route_kernel[(x.shape[0],)](x, weights, index, E, TOP, E, num_warps=1)
        return weights, index

    def reference():
        best = x.double().softmax(-1).topk(TOP)
        return best.values / best.values.sum(-1, keepdim=True), best.indices.to(torch.int32)
    return Case(call, reference, tolerance=1e-4)


@triton.jit
def sum_experts_kernel(x_ptr, y_ptr, N, TOP: tl.constexpr, BLOCK: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(TOP):
        total += tl.load(x_ptr + (row * TOP + k) * N + i, mask=i < N, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * N + i, total.to(y_ptr.dtype.element_ty), mask=i < N)


@operator()
def sum_experts(w):
    T, N = w.pick(4096, 20), w.pick(4096, 300)
    x = w.randn(T, 8, N, dtype=torch.bfloat16)

    def call():
        y = torch.empty((T, N), device=x.device, dtype=x.dtype)
        sum_experts_kernel[(T, triton.cdiv(N, 1024))](x, y, N, 8, 1024)
        return y
    return Case(call, lambda: x.double().sum(1))


# ---- convolutions ---------------------------------------------------------------------------------

@triton.jit
def conv2d_kernel(x_ptr, w_ptr, y_ptr, C, H, W, OC, OH, OW, STRIDE: tl.constexpr, PAD: tl.constexpr, R: tl.constexpr, S: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BC: tl.constexpr, count):
    """Channels last; the window's places are unrolled, the channels a loop."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    c = tl.arange(0, BC)
    batch, oh, ow = m // (OH * OW), m // OW % OH, m % OW
    acc = tl.zeros((BM, BN), tl.float32)
    for r in tl.static_range(R):
        for s in tl.static_range(S):
            ih, iw = oh * STRIDE - PAD + r, ow * STRIDE - PAD + s
            inside = (m < count) & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
            base = ((batch * H + ih) * W + iw) * C
            for start in range(0, C, BC):
                x = tl.load(x_ptr + base[:, None] + (start + c)[None, :], mask=inside[:, None], other=0.0)
                y = tl.load(w_ptr + ((r * S + s) * C + start + c)[:, None] * OC + n[None, :], mask=n[None, :] < OC, other=0.0)
                acc += tl.dot(x, y)
    tl.store(y_ptr + m[:, None] * OC + n[None, :], acc.to(y_ptr.dtype.element_ty), mask=(m[:, None] < count) & (n[None, :] < OC))


@operator(variants=[dict(R=3, C=128), dict(R=1, C=256)])
def conv2d(w, R, C):
    B, H, W, C, OC = w.pick(16, 1), w.pick(56, 9), w.pick(56, 9), w.pick(C, 32), w.pick(C, 40)
    x, weight = w.randn(B, H, W, C), w.randn(R, R, C, OC, scale=0.1)
    pad = R // 2

    def call():
        y = torch.empty((B, H, W, OC), device=x.device, dtype=x.dtype)
        count = B * H * W
        conv2d_kernel[(triton.cdiv(count, 128), triton.cdiv(OC, 64))](x, weight, y, C, H, W, OC, H, W, 1, pad, R, R, 128, 64, 32, count,
                                                                      num_warps=4, num_stages=3)
        return y

    def reference():
        wide = torch.float64 if w.device == "cpu" else torch.float32
        return torch.nn.functional.conv2d(x.permute(0, 3, 1, 2).to(wide), weight.permute(3, 2, 0, 1).to(wide), padding=pad).permute(0, 2, 3, 1)
    return Case(call, reference)


@triton.jit
def conv3d_kernel(x_ptr, w_ptr, y_ptr, C, D, H, W, OC, TAPS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BC: tl.constexpr, count):
    """3 by 3 by 3, channels last: one loop over taps and channels."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    c = tl.arange(0, BC)
    batch, d, h, v = m // (D * H * W), m // (H * W) % D, m // W % H, m % W
    steps = C // BC
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(TAPS * steps):
        tap, start = step // steps, step % steps * BC
        pd, ph, pw = d + tap // 9 - 1, h + tap // 3 % 3 - 1, v + tap % 3 - 1
        inside = (m < count) & (pd >= 0) & (pd < D) & (ph >= 0) & (ph < H) & (pw >= 0) & (pw < W)
        base = (((batch * D + pd) * H + ph) * W + pw) * C
        x = tl.load(x_ptr + base[:, None] + (start + c)[None, :], mask=inside[:, None], other=0.0)
        y = tl.load(w_ptr + (tap * C + start + c)[:, None] * OC + n[None, :], mask=n[None, :] < OC, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(y_ptr + m[:, None] * OC + n[None, :], acc.to(y_ptr.dtype.element_ty), mask=(m[:, None] < count) & (n[None, :] < OC))


@operator()
def conv3d(w):
    B, D, H, W, C = w.pick(2, 1), w.pick(16, 3), w.pick(28, 5), w.pick(28, 6), w.pick(64, 32)
    x, weight = w.randn(B, D, H, W, C), w.randn(3, 3, 3, C, C, scale=0.1)
    count = B * D * H * W

    def call():
        y = torch.empty_like(x)
        conv3d_kernel[(triton.cdiv(count, 64), triton.cdiv(C, 64))](x, weight, y, C, D, H, W, C, 27, 64, 64, 32, count, num_warps=4, num_stages=3)
        return y

    def reference():
        wide = torch.float64 if w.device == "cpu" else torch.float32
        y = torch.nn.functional.conv3d(x.permute(0, 4, 1, 2, 3).to(wide), weight.permute(4, 3, 0, 1, 2).to(wide), padding=1)
        return y.permute(0, 2, 3, 4, 1)
    return Case(call, reference)


@triton.jit
def causal_conv_kernel(x_ptr, w_ptr, b_ptr, y_ptr, T, D, WIDTH: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
    """A short convolution along tokens, each channel for itself, then SiLU."""
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    base = tl.program_id(2).to(tl.int64) * T * D
    acc = tl.zeros((BT, BD), tl.float32) + tl.load(b_ptr + d, mask=d < D, other=0.0)[None, :]
    for i in tl.static_range(WIDTH):
        back = t - (WIDTH - 1 - i)
        x = tl.load(x_ptr + base + back[:, None] * D + d[None, :], mask=(back[:, None] >= 0) & (back[:, None] < T) & (d[None, :] < D), other=0.0)
        acc += x.to(tl.float32) * tl.load(w_ptr + d * WIDTH + i, mask=d < D, other=0.0)[None, :]
    tl.store(y_ptr + base + t[:, None] * D + d[None, :], (acc * tl.sigmoid(acc)).to(y_ptr.dtype.element_ty),
             mask=(t[:, None] < T) & (d[None, :] < D))


@operator()
def causal_conv(w):
    B, T, D = w.pick(4, 1), w.pick(2048, 50), w.pick(4096, 70)
    x, weight, bias = w.randn(B, T, D, dtype=torch.bfloat16), w.randn(D, 4, dtype=torch.bfloat16), w.randn(D, dtype=torch.bfloat16)

    def call():
        y = torch.empty_like(x)
        causal_conv_kernel[(triton.cdiv(T, 32), triton.cdiv(D, 64), B)](x, weight, bias, y, T, D, 4, 32, 64)
        return y

    def reference():
        wide = torch.float64 if w.device == "cpu" else torch.float32
        y = torch.nn.functional.conv1d(x.to(wide).transpose(1, 2), weight.to(wide)[:, None], bias.to(wide), padding=3, groups=D)[..., :T]
        return torch.nn.functional.silu(y).transpose(1, 2)
    return Case(call, reference)
