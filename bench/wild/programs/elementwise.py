"""Element by element: activations, rotary embeddings, dropout, random numbers, optimisers, copies."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)


@operator(variants=[dict(n=4096, dtype="float32"), dict(n=98432, dtype="float32"), dict(n=1 << 24, dtype="float32"),
                    dict(n=1 << 24, dtype="float16"), dict(n=(1 << 24) + 3, dtype="bfloat16")])
def add(w, n, dtype):
    n = w.pick(n, min(n, 10003))
    x, y = w.randn(n, dtype=getattr(torch, dtype)), w.randn(n, dtype=getattr(torch, dtype))

    def call():
        z = torch.empty_like(x)
        add_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, 1024)
        return z
    return Case(call, lambda: x.double() + y.double())


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, out_ptr, stride, N, GELU: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate_ptr + row * stride + i, mask=i < N, other=0.0).to(tl.float32)
    u = tl.load(up_ptr + row * stride + i, mask=i < N, other=0.0).to(tl.float32)
    if GELU:
        a = 0.5 * g * (1 + tl.erf(g * 0.7071067811865476))
    else:
        a = g * tl.sigmoid(g)
    tl.store(out_ptr + row * N + i, (a * u).to(out_ptr.dtype.element_ty), mask=i < N)


@operator(variants=[dict(kind="silu", rows=4096), dict(kind="gelu", rows=4096), dict(kind="silu", rows=8)])
def gated(w, kind, rows):
    rows, N = w.pick(rows, 8), w.pick(11008, 1000)
    both = w.randn(rows, 2 * N)
    gate, up = both.chunk(2, -1)

    def call():
        out = torch.empty((rows, N), device=both.device, dtype=both.dtype)
        swiglu_kernel[(rows, triton.cdiv(N, 1024))](gate, up, out, both.stride(0), N, kind == "gelu", 1024)
        return out
    return Case(call, lambda: getattr(torch.nn.functional, kind)(gate.double()) * up.double())


@triton.jit
def swiglu_backward_kernel(dy_ptr, gate_ptr, up_ptr, dg_ptr, du_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    dy = tl.load(dy_ptr + i, mask=i < n, other=0.0).to(tl.float32)
    g = tl.load(gate_ptr + i, mask=i < n, other=0.0).to(tl.float32)
    u = tl.load(up_ptr + i, mask=i < n, other=0.0).to(tl.float32)
    s = tl.sigmoid(g)
    tl.store(dg_ptr + i, (dy * u * s * (1 + g * (1 - s))).to(dg_ptr.dtype.element_ty), mask=i < n)
    tl.store(du_ptr + i, (dy * g * s).to(du_ptr.dtype.element_ty), mask=i < n)


@operator()
def gated_backward(w):
    n = w.pick(4096 * 11008, 5000)
    dy, g, u = w.randn(n), w.randn(n), w.randn(n)

    def call():
        dg, du = torch.empty_like(g), torch.empty_like(u)
        swiglu_backward_kernel[(triton.cdiv(n, 1024),)](dy, g, u, dg, du, n, 1024)
        return dg, du

    def reference():
        wide = torch.float64 if w.device == "cpu" else torch.float32
        s = torch.sigmoid(g.to(wide))
        return dy.to(wide) * u.to(wide) * s * (1 + g.to(wide) * (1 - s)), dy.to(wide) * g.to(wide) * s
    return Case(call, reference)


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, st, sh, T, HALF: tl.constexpr, HEADS: tl.constexpr, SIGN: tl.constexpr):
    """The two halves of each head are rotated against each other."""
    token = tl.program_id(0)
    h = tl.arange(0, HEADS)
    d = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + (token % T) * HALF + d)
    sin = tl.load(sin_ptr + (token % T) * HALF + d) * SIGN
    place = token.to(tl.int64) * st + h[:, None] * sh + d[None, :]
    a = tl.load(x_ptr + place).to(tl.float32)
    b = tl.load(x_ptr + place + HALF).to(tl.float32)
    tl.store(y_ptr + place, (a * cos[None, :] - b * sin[None, :]).to(y_ptr.dtype.element_ty))
    tl.store(y_ptr + place + HALF, (b * cos[None, :] + a * sin[None, :]).to(y_ptr.dtype.element_ty))


@triton.jit
def rope_interleaved_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, st, sh, T, HALF: tl.constexpr, HEADS: tl.constexpr):
    """Neighbouring numbers form a pair."""
    token = tl.program_id(0)
    h = tl.arange(0, HEADS)
    d = tl.arange(0, 2 * HALF)
    place = token.to(tl.int64) * st + h[:, None] * sh + d[None, :]
    a, b = tl.split(tl.load(x_ptr + place).to(tl.float32).reshape([HEADS, HALF, 2]))
    i = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + (token % T) * HALF + i)[None, :]
    sin = tl.load(sin_ptr + (token % T) * HALF + i)[None, :]
    y = tl.join(a * cos - b * sin, b * cos + a * sin).reshape([HEADS, 2 * HALF])
    tl.store(y_ptr + place, y.to(y_ptr.dtype.element_ty))


def rope_inputs(w):
    B, T, H, D = w.pick(4, 1), w.pick(2048, 40), w.pick(32, 4), 128
    x = w.randn(B, T, H, D)
    angle = w.arange(T)[:, None] * torch.exp(-torch.arange(D // 2, device=x.device) / 10.0)[None, :]
    return x, angle.cos().float(), angle.sin().float(), (B, T, H, D)


@operator(variants=[dict(sign=1), dict(sign=-1)])
def rope(w, sign):
    x, cos, sin, (B, T, H, D) = rope_inputs(w)

    def call():
        y = torch.empty_like(x)
        rope_kernel[(B * T,)](x, cos, sin, y, *x.stride()[1:3], T, D // 2, H, sign)
        return y

    def reference():
        a, b = x.double().chunk(2, -1)
        c, s = cos.double()[None, :, None], sin.double()[None, :, None] * sign
        return torch.cat([a * c - b * s, b * c + a * s], -1)
    return Case(call, reference)


@operator()
def rope_interleaved(w):
    x, cos, sin, (B, T, H, D) = rope_inputs(w)

    def call():
        y = torch.empty_like(x)
        rope_interleaved_kernel[(B * T,)](x, cos, sin, y, *x.stride()[1:3], T, D // 2, H)
        return y

    def reference():
        a, b = x.double()[..., 0::2], x.double()[..., 1::2]
        c, s = cos.double()[None, :, None], sin.double()[None, :, None]
        return torch.stack([a * c - b * s, b * c + a * s], -1).flatten(-2)
    return Case(call, reference)


# ---- random numbers -------------------------------------------------------------------------------

@triton.jit
def dropout_kernel(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    keep = tl.rand(seed, i) > p
    tl.store(y_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


@operator(variants=[dict(dtype="float32"), dict(dtype="float16")])
def dropout(w, dtype):
    n = w.pick(1 << 24, 20000)
    x = w.randn(n, dtype=getattr(torch, dtype))

    def call():
        y = torch.empty_like(x)
        dropout_kernel[(triton.cdiv(n, 1024),)](x, y, n, 0.3, 123, 1024)
        return y
    return Case(call)


@triton.jit
def normal_kernel(y_ptr, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.randn(seed, i), mask=i < n)


@triton.jit
def bits_kernel(y_ptr, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, i)
    for part in tl.static_range(4):
        tl.store(y_ptr + i * 4 + part, a if part == 0 else b if part == 1 else c if part == 2 else d, mask=i < n)


@operator(variants=[dict(kind="normal"), dict(kind="bits")])
def philox(w, kind):
    n = w.pick(1 << 22, 8192)

    def call():
        if kind == "normal":
            y = w.empty(n, dtype=torch.float32)
            normal_kernel[(triton.cdiv(n, 1024),)](y, n, 42, 1024)
        else:
            y = w.empty(4 * n, dtype=torch.int32)
            bits_kernel[(triton.cdiv(n, 512),)](y, n, 42, 512)
        return y
    return Case(call)


# ---- optimisers -----------------------------------------------------------------------------------

@triton.jit
def adam_kernel(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, decay, correction1, correction2, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    p = tl.load(p_ptr + i, mask=mask)
    g = tl.load(g_ptr + i, mask=mask).to(tl.float32)
    m = tl.load(m_ptr + i, mask=mask)
    v = tl.load(v_ptr + i, mask=mask)
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    p = p * (1 - lr * decay) - lr * (m / correction1) / (tl.sqrt(v / correction2) + eps)
    tl.store(p_ptr + i, p, mask=mask)
    tl.store(m_ptr + i, m, mask=mask)
    tl.store(v_ptr + i, v, mask=mask)


@operator()
def adam(w):
    n = w.pick(1 << 24, 9000)
    p, m, v, g = w.randn(n, dtype=torch.float32), w.randn(n, dtype=torch.float32), w.rand(n), w.randn(n, dtype=torch.bfloat16)

    def call():
        a, b, c = p.clone(), m.clone(), v.clone()
        adam_kernel[(triton.cdiv(n, 1024),)](a, g, b, c, 1e-3, 0.9, 0.999, 1e-8, 0.01, 0.1, 0.001, n, 1024)
        return a, b, c

    def reference():
        wide = [t.double() for t in (p, g, m, v)]
        b = 0.9 * wide[2] + 0.1 * wide[1]
        c = 0.999 * wide[3] + 0.001 * wide[1] ** 2
        return wide[0] * (1 - 1e-5) - 1e-3 * (b / 0.1) / ((c / 0.001).sqrt() + 1e-8), b, c
    return Case(call, reference, tolerance=1e-4)


@triton.jit
def foreach_kernel(addresses_ptr, sizes_ptr, scale, BLOCK: tl.constexpr):
    """Tensors whose addresses lie in a table are scaled in one launch."""
    which = tl.program_id(1)
    x_ptr = tl.load(addresses_ptr + which).to(tl.pointer_type(tl.float32))
    n = tl.load(sizes_ptr + which)
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * scale, mask=i < n)


@operator()
def foreach_scale(w):
    sizes = w.pick([1 << 20, 4096, 77777, 1 << 18] * 8, [1000, 64])
    tensors = [w.randn(n, dtype=torch.float32) for n in sizes]

    def call():
        copies = [t.clone() for t in tensors]
        addresses, lengths = w.tensor([t.data_ptr() for t in copies], torch.int64), w.tensor(sizes, torch.int32)
        foreach_kernel[(32, len(sizes))](addresses, lengths, 0.5, 1024)
        return copies
    return Case(call, lambda: [t * 0.5 for t in tensors], exact=True)


# ---- copies ---------------------------------------------------------------------------------------

@triton.jit
def transpose_kernel(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N))
    tl.store(y_ptr + n[:, None] * M + m[None, :], tl.trans(x), mask=(n[:, None] < N) & (m[None, :] < M))


@operator(variants=[dict(dtype="float32", M=4096, N=4096), dict(dtype="float16", M=4096, N=4096), dict(dtype="int8", M=4096, N=4096),
                    dict(dtype="float32", M=1001, N=3003)])
def transpose(w, dtype, M, N):
    M, N = w.pick(M, 131), w.pick(N, 77)
    kind = getattr(torch, dtype)
    x = w.randn(M, N, dtype=kind) if kind.is_floating_point else w.randint(-100, 100, (M, N), kind)

    def call():
        y = torch.empty((N, M), device=x.device, dtype=x.dtype)
        transpose_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](x, y, M, N, 64, 64)
        return y
    return Case(call, lambda: x.t().contiguous(), exact=True)


@triton.jit
def permute_kernel(x_ptr, y_ptr, B, T, H, D, BT: tl.constexpr, BD: tl.constexpr):
    """[B, T, H, D] to [B, H, T, D]."""
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    d = tl.arange(0, BD)
    batch, head = tl.program_id(1) // H, tl.program_id(1) % H
    mask = (t[:, None] < T) & (d[None, :] < D)
    x = tl.load(x_ptr + ((batch * T + t)[:, None] * H + head) * D + d[None, :], mask=mask)
    tl.store(y_ptr + ((batch * H + head) * T + t)[:, None] * D + d[None, :], x, mask=mask)


@operator()
def permute_heads(w):
    B, T, H, D = w.pick(4, 1), w.pick(2048, 50), w.pick(32, 3), 96
    x = w.randn(B, T, H, D)

    def call():
        y = torch.empty((B, H, T, D), device=x.device, dtype=x.dtype)
        permute_kernel[(triton.cdiv(T, 32), B * H)](x, y, B, T, H, D, 32, 128)
        return y
    return Case(call, lambda: x.transpose(1, 2).contiguous(), exact=True)
