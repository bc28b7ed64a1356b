"""Linear attention, retention, selective scans: parallel, chunked and recurrent forms."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


def wide(t):
    return t.to(torch.float64) if t.device.type == "cpu" else t.to(torch.float32)


# ---- parallel forms -------------------------------------------------------------------------------

@triton.jit
def parallel_kernel(q_ptr, k_ptr, v_ptr, o_ptr, decay_ptr, scale, H, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr,
                    BS: tl.constexpr, BV: tl.constexpr, DECAY: tl.constexpr, TF32: tl.constexpr):
    """o = (q kᵀ ∘ D) v with D[i, j] = decay^(i - j) for j <= i: without a softmax, so no state is carried."""
    head = tl.program_id(2)
    base = head.to(tl.int64) * T
    first = tl.program_id(0) * BT
    m = first + tl.arange(0, BT)
    k = tl.arange(0, K)
    v = tl.program_id(1) * BV + tl.arange(0, BV)
    q = tl.load(q_ptr + (base + m[:, None]) * K + k[None, :], mask=m[:, None] < T, other=0.0) * scale
    rate = tl.load(decay_ptr + head % H)
    acc = tl.zeros((BT, BV), tl.float32)
    for start in range(0, min(first + BT, T), BS):
        n = start + tl.arange(0, BS)
        kk = tl.load(k_ptr + (base + n[None, :]) * K + k[:, None], mask=n[None, :] < T, other=0.0)
        vv = tl.load(v_ptr + (base + n[:, None]) * V + v[None, :], mask=n[:, None] < T, other=0.0)
        s = tl.dot(q.to(kk.dtype), kk, allow_tf32=TF32)
        distance = m[:, None] - n[None, :]
        if DECAY:
            s = tl.where(distance >= 0, s * tl.exp2(distance * rate), 0.0)
        else:
            s = tl.where(distance >= 0, s, 0.0)
        acc += tl.dot(s.to(vv.dtype), vv, allow_tf32=TF32)
    tl.store(o_ptr + (base + m[:, None]) * V + v[None, :], acc.to(o_ptr.dtype.element_ty), mask=m[:, None] < T)


@triton.jit
def parallel_backward_kernel(q_ptr, k_ptr, v_ptr, do_ptr, dk_ptr, dv_ptr, decay_ptr, scale, H, T, K: tl.constexpr, V: tl.constexpr,
                             BT: tl.constexpr, BS: tl.constexpr, DECAY: tl.constexpr, TF32: tl.constexpr):
    head = tl.program_id(1)
    base = head.to(tl.int64) * T
    first = tl.program_id(0) * BS
    n = first + tl.arange(0, BS)
    k = tl.arange(0, K)
    v = tl.arange(0, V)
    rate = tl.load(decay_ptr + head % H)
    kk = tl.load(k_ptr + (base + n[:, None]) * K + k[None, :], mask=n[:, None] < T, other=0.0)
    vv = tl.load(v_ptr + (base + n[:, None]) * V + v[None, :], mask=n[:, None] < T, other=0.0)
    dk = tl.zeros((BS, K), tl.float32)
    dv = tl.zeros((BS, V), tl.float32)
    for start in range(first // BT * BT, T, BT):
        m = start + tl.arange(0, BT)
        q = tl.load(q_ptr + (base + m[None, :]) * K + k[:, None], mask=m[None, :] < T, other=0.0) * scale
        do = tl.load(do_ptr + (base + m[None, :]) * V + v[:, None], mask=m[None, :] < T, other=0.0)
        distance = m[None, :] - n[:, None]
        weight = tl.where(distance >= 0, tl.exp2(distance * rate) if DECAY else 1.0, 0.0)
        s = tl.dot(kk, q.to(kk.dtype), allow_tf32=TF32) * weight
        dv += tl.dot(s.to(do.dtype), tl.trans(do), allow_tf32=TF32)
        ds = tl.dot(vv, do, allow_tf32=TF32) * weight
        dk += tl.dot(ds.to(kk.dtype), tl.trans(q.to(kk.dtype)), allow_tf32=TF32)
    tl.store(dk_ptr + (base + n[:, None]) * K + k[None, :], dk.to(dk_ptr.dtype.element_ty), mask=n[:, None] < T)
    tl.store(dv_ptr + (base + n[:, None]) * V + v[None, :], dv.to(dv_ptr.dtype.element_ty), mask=n[:, None] < T)


def linear_inputs(w, T, D, dtype):
    B, H, T = w.pick(4, 1), w.pick(8, 2), w.pick(T, 128)
    q, k, v = (w.randn(B, H, T, D, dtype=dtype, scale=0.5) for _ in range(3))
    rates = torch.log2(1 - torch.exp2(-5.0 - torch.arange(H, device=q.device, dtype=torch.float32)))
    return q, k, v, rates


def decayed(q, k, v, rates, scale, decay):
    q, k, v = (wide(t) for t in (q, k, v))
    T = q.shape[2]
    i = torch.arange(T, device=q.device)
    distance = (i[:, None] - i[None, :]).to(q.dtype)
    weight = torch.exp2(distance * rates.to(q.dtype)[:, None, None]) if decay else torch.ones_like(distance)[None]
    s = (q @ k.transpose(-1, -2)) * scale * torch.where(distance >= 0, weight, torch.zeros_like(weight))
    return s @ v


@operator(suspect=True, variants=[dict(name="linear", tf32=False, D=64, tile=128), dict(name="retention", tf32=False, D=128, tile=128),
                                  dict(name="retention", tf32=False, D=64, tile=64), dict(name="retention", tf32=True, D=128, tile=128)])
def parallel(w, name, tf32, D, tile):
    q, k, v, rates = linear_inputs(w, 2048, D, torch.float32)
    B, H, T, _ = q.shape

    def call():
        o = torch.empty_like(v)
        parallel_kernel[(triton.cdiv(T, tile), 1, B * H)](q, k, v, o, rates, D**-0.5, H, T, D, D, tile, 32, D, name == "retention", tf32,
                                                          num_warps=4, num_stages=2)
        return o
    return Case(call, lambda: decayed(q, k, v, rates, D**-0.5, name == "retention"))


@operator(variants=[dict(dtype="bfloat16"), dict(dtype="float16")])
def parallel_half(w, dtype):
    q, k, v, rates = linear_inputs(w, 2048, 64, getattr(torch, dtype))
    B, H, T, D = q.shape

    def call():
        o = torch.empty_like(v)
        parallel_kernel[(triton.cdiv(T, 128), 1, B * H)](q, k, v, o, rates, 0.125, H, T, D, D, 128, 64, D, True, False, num_warps=4)
        return o
    return Case(call, lambda: decayed(q, k, v, rates, 0.125, True), tolerance=0.04)


@operator(suspect=True, variants=[dict(tf32=False, BT=64), dict(tf32=True, BT=64)])
def parallel_backward(w, tf32, BT):
    q, k, v, rates = linear_inputs(w, 2048, 64, torch.float32)
    (B, H, T, D), do = q.shape, torch.randn_like(v)

    def call():
        dk, dv = torch.empty_like(k), torch.empty_like(v)
        parallel_backward_kernel[(triton.cdiv(T, 32), B * H)](q, k, v, do, dk, dv, rates, D**-0.5, H, T, D, D, BT, 32, True, tf32,
                                                              num_warps=4, num_stages=2)
        return dk, dv

    def reference():
        kk, vv = (t.detach().clone().requires_grad_() for t in (k, v))
        o = decayed(q, kk, vv, rates, D**-0.5, True)
        o.backward(do.to(o.dtype))
        return kk.grad, vv.grad
    return Case(call, reference)


# ---- chunked forms --------------------------------------------------------------------------------

@triton.jit
def chunk_states_kernel(k_ptr, v_ptr, h_ptr, decay_ptr, H, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr,
                        BV: tl.constexpr):
    """The state before every chunk: h = decay^BT h + sum of decayed kᵀ v."""
    head = tl.program_id(2)
    base = head.to(tl.int64) * T
    k = tl.program_id(0) * BK + tl.arange(0, BK)
    v = tl.program_id(1) * BV + tl.arange(0, BV)
    rate = tl.load(decay_ptr + head % H)
    i = tl.arange(0, BT)
    weight = tl.exp2((BT - 1 - i) * rate)
    state = tl.zeros((BK, BV), tl.float32)
    for chunk in range(tl.cdiv(T, BT)):
        place = h_ptr + (head * tl.cdiv(T, BT) + chunk).to(tl.int64) * K * V + k[:, None] * V + v[None, :]
        tl.store(place, state.to(h_ptr.dtype.element_ty))
        t = chunk * BT + i
        kk = tl.load(k_ptr + (base + t[None, :]) * K + k[:, None], mask=t[None, :] < T, other=0.0)
        vv = tl.load(v_ptr + (base + t[:, None]) * V + v[None, :], mask=t[:, None] < T, other=0.0)
        vv = (vv * weight[:, None]).to(vv.dtype)
        state = state * tl.exp2(BT * rate) + tl.dot(kk, vv)


@triton.jit
def chunk_outputs_kernel(q_ptr, k_ptr, v_ptr, h_ptr, o_ptr, decay_ptr, scale, H, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr,
                         BK: tl.constexpr, BV: tl.constexpr):
    head = tl.program_id(2)
    chunk = tl.program_id(1)
    base = head.to(tl.int64) * T
    i = tl.arange(0, BT)
    t = chunk * BT + i
    v = tl.program_id(0) * BV + tl.arange(0, BV)
    rate = tl.load(decay_ptr + head % H)
    acc = tl.zeros((BT, BV), tl.float32)
    s = tl.zeros((BT, BT), tl.float32)
    states = h_ptr + (head * tl.cdiv(T, BT) + chunk).to(tl.int64) * K * V
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        q = tl.load(q_ptr + (base + t[:, None]) * K + k[None, :], mask=t[:, None] < T, other=0.0)
        q = (q * scale).to(q.dtype)
        kk = tl.load(k_ptr + (base + t[None, :]) * K + k[:, None], mask=t[None, :] < T, other=0.0)
        acc += tl.dot(q, tl.load(states + k[:, None] * V + v[None, :]))
        s += tl.dot(q, kk)
    acc = acc * tl.exp2((i + 1) * rate)[:, None]
    s = tl.where(i[:, None] >= i[None, :], s * tl.exp2((i[:, None] - i[None, :]) * rate), 0.0)
    vv = tl.load(v_ptr + (base + t[:, None]) * V + v[None, :], mask=t[:, None] < T, other=0.0)
    acc += tl.dot(s.to(vv.dtype), vv)
    tl.store(o_ptr + (base + t[:, None]) * V + v[None, :], acc.to(o_ptr.dtype.element_ty), mask=t[:, None] < T)


@triton.jit
def chunk_gradients_kernel(q_ptr, k_ptr, v_ptr, do_ptr, h_ptr, dh_ptr, dq_ptr, dk_ptr, dv_ptr, decay_ptr, scale, H, T, K: tl.constexpr,
                           V: tl.constexpr, BT: tl.constexpr, BK: tl.constexpr):
    """Gradients of one chunk from the states before it (h) and the states' gradients behind it (dh, transposed: V by K)."""
    head = tl.program_id(2)
    chunk = tl.program_id(1)
    base = head.to(tl.int64) * T
    i = tl.arange(0, BT)
    t = chunk * BT + i
    k = tl.program_id(0) * BK + tl.arange(0, BK)
    v = tl.arange(0, V)
    rate = tl.load(decay_ptr + head % H)
    where = (head * tl.cdiv(T, BT) + chunk).to(tl.int64) * K * V
    q = tl.load(q_ptr + (base + t[:, None]) * K + k[None, :], mask=t[:, None] < T, other=0.0)
    kk = tl.load(k_ptr + (base + t[:, None]) * K + k[None, :], mask=t[:, None] < T, other=0.0)
    vv = tl.load(v_ptr + (base + t[:, None]) * V + v[None, :], mask=t[:, None] < T, other=0.0)
    do = tl.load(do_ptr + (base + t[:, None]) * V + v[None, :], mask=t[:, None] < T, other=0.0)
    h = tl.load(h_ptr + where + k[None, :] * V + v[:, None])
    dh = tl.load(dh_ptr + where + v[:, None] * K + k[None, :])
    weight = tl.where(i[:, None] >= i[None, :], tl.exp2((i[:, None] - i[None, :]) * rate), 0.0)
    ds = (tl.dot(do, tl.trans(vv)) * weight * scale).to(q.dtype)
    forward = tl.exp2((i + 1) * rate)[:, None]
    backward = tl.exp2((BT - 1 - i) * rate)[:, None]
    dq = tl.dot(do, h.to(do.dtype)) * forward * scale + tl.dot(ds, kk)
    dk = tl.dot(vv, dh.to(vv.dtype)) * backward + tl.dot(tl.trans(ds), q)
    tl.store(dq_ptr + (base + t[:, None]) * K + k[None, :], dq.to(dq_ptr.dtype.element_ty), mask=t[:, None] < T)
    tl.store(dk_ptr + (base + t[:, None]) * K + k[None, :], dk.to(dk_ptr.dtype.element_ty), mask=t[:, None] < T)
    if K == BK:
        s = tl.where(i[:, None] <= i[None, :], tl.dot(kk, tl.trans(q)) * tl.trans(weight) * scale, 0.0)
        dv = tl.dot(kk, tl.trans(dh).to(kk.dtype)) * backward + tl.dot(s.to(do.dtype), do)
        tl.store(dv_ptr + (base + t[:, None]) * V + v[None, :], dv.to(dv_ptr.dtype.element_ty), mask=t[:, None] < T)


@triton.jit
def chunk_state_gradients_kernel(q_ptr, do_ptr, dh_ptr, decay_ptr, scale, H, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr,
                                 BK: tl.constexpr, BV: tl.constexpr):
    """From the last chunk to the first; the state's gradient is kept transposed."""
    head = tl.program_id(2)
    base = head.to(tl.int64) * T
    k = tl.program_id(0) * BK + tl.arange(0, BK)
    v = tl.program_id(1) * BV + tl.arange(0, BV)
    rate = tl.load(decay_ptr + head % H)
    i = tl.arange(0, BT)
    weight = tl.exp2((i + 1) * rate) * scale
    state = tl.zeros((BV, BK), tl.float32)
    for chunk in range(tl.cdiv(T, BT) - 1, -1, -1):
        place = dh_ptr + (head * tl.cdiv(T, BT) + chunk).to(tl.int64) * K * V + v[:, None] * K + k[None, :]
        tl.store(place, state.to(dh_ptr.dtype.element_ty))
        t = chunk * BT + i
        do = tl.load(do_ptr + (base + t[None, :]) * V + v[:, None], mask=t[None, :] < T, other=0.0)
        q = tl.load(q_ptr + (base + t[:, None]) * K + k[None, :], mask=t[:, None] < T, other=0.0)
        state = state * tl.exp2(BT * rate) + tl.dot(do, (q * weight[:, None]).to(q.dtype))


def chunked_forward(q, k, v, rates, scale, BT):
    B, H, T, D = q.shape
    h = torch.empty((B * H, triton.cdiv(T, BT), D, D), device=q.device, dtype=q.dtype)
    o = torch.empty_like(v)
    BK = min(D, 64)
    chunk_states_kernel[(D // BK, D // BK, B * H)](k, v, h, rates, H, T, D, D, BT, BK, BK, num_warps=4, num_stages=2)
    chunk_outputs_kernel[(D // BK, triton.cdiv(T, BT), B * H)](q, k, v, h, o, rates, scale, H, T, D, D, BT, BK, BK, num_warps=4)
    return o, h


@operator(variants=[dict(D=64, dtype="bfloat16"), dict(D=128, dtype="bfloat16"), dict(D=64, dtype="float32")])
def chunked(w, D, dtype):
    q, k, v, rates = linear_inputs(w, 4096, D, getattr(torch, dtype))
    return Case(lambda: chunked_forward(q, k, v, rates, D**-0.5, 64)[0], lambda: decayed(q, k, v, rates, D**-0.5, True), tolerance=0.04)


@operator(variants=[dict(dtype="bfloat16"), dict(dtype="float32")])
def chunked_backward(w, dtype):
    q, k, v, rates = linear_inputs(w, 4096, 64, getattr(torch, dtype))
    (B, H, T, D), BT = q.shape, 64
    do = torch.randn_like(v)
    _, h = chunked_forward(q, k, v, rates, D**-0.5, BT)

    def call():
        dh = torch.empty_like(h)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        chunk_state_gradients_kernel[(1, 1, B * H)](q, do, dh, rates, D**-0.5, H, T, D, D, BT, D, D, num_warps=4)
        chunk_gradients_kernel[(1, triton.cdiv(T, BT), B * H)](q, k, v, do, h, dh, dq, dk, dv, rates, D**-0.5, H, T, D, D, BT, D,
                                                               num_warps=4)
        return dq, dk, dv

    def reference():
        qq, kk, vv = (wide(t).detach().clone().requires_grad_() for t in (q, k, v))
        o = decayed(qq, kk, vv, rates, D**-0.5, True)
        o.backward(do.to(o.dtype))
        return qq.grad, kk.grad, vv.grad
    return Case(call, reference, tolerance=0.05)


# ---- recurrent forms ------------------------------------------------------------------------------

@triton.jit
def recurrent_kernel(q_ptr, k_ptr, v_ptr, g_ptr, o_ptr, scale, T, K: tl.constexpr, V: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):
    """A gated state, token by token."""
    head = tl.program_id(2)
    k = tl.arange(0, BK)
    v = tl.program_id(1) * BV + tl.arange(0, BV)
    state = tl.zeros((BV, BK), tl.float32)
    keys = head.to(tl.int64) * T * K + k
    q, kk, gg = q_ptr + keys, k_ptr + keys, g_ptr + keys
    vv = v_ptr + head.to(tl.int64) * T * V + v
    o = o_ptr + head.to(tl.int64) * T * V + v
    for _ in range(T):
        gate = tl.exp(tl.load(gg).to(tl.float32))
        state = state * gate[None, :] + tl.load(kk).to(tl.float32)[None, :] * tl.load(vv).to(tl.float32)[:, None]
        tl.store(o, tl.sum(state * (tl.load(q).to(tl.float32) * scale)[None, :], 1).to(o_ptr.dtype.element_ty))
        q += K
        kk += K
        gg += K
        vv += V
        o += V


@operator()
def recurrent_gated(w):
    B, H, T, D = w.pick(4, 1), w.pick(8, 2), w.pick(1024, 40), 64
    q, k, v = (w.randn(B * H, T, D, dtype=torch.bfloat16, scale=0.5) for _ in range(3))
    g = torch.nn.functional.logsigmoid(w.randn(B * H, T, D, dtype=torch.float32)) if not w.hollow else w.randn(B * H, T, D, dtype=torch.float32)

    def call():
        o = torch.empty_like(v)
        recurrent_kernel[(1, D // 32, B * H)](q, k, v, g, o, D**-0.5, T, D, D, D, 32, num_warps=1)
        return o

    def reference():
        state, rows = torch.zeros(B * H, D, D, device=q.device), []
        for t in range(T):
            state = state * g[:, t].exp()[:, :, None] + k[:, t].float()[:, :, None] * v[:, t].float()[:, None, :]
            rows.append((state * q[:, t].float()[:, :, None] * D**-0.5).sum(1))
        return torch.stack(rows, 1)
    return Case(call, reference)


@triton.jit
def first_order(left_gate, left, right_gate, right):
    return left_gate * right_gate, right_gate * left + right


@triton.jit
def selective_scan_kernel(u_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, d_ptr, o_ptr, T, DIM, N: tl.constexpr, BT: tl.constexpr):
    """A diagonal state-space model: chunks by an associative scan over tokens, the state carried between them."""
    channel, batch = tl.program_id(0), tl.program_id(1)
    n = tl.arange(0, N)
    a = tl.load(a_ptr + channel * N + n)
    skip = tl.load(d_ptr + channel)
    state = tl.zeros((N,), tl.float32)
    for start in range(0, T, BT):
        t = start + tl.arange(0, BT)
        row = (batch * T + t).to(tl.int64)
        u = tl.load(u_ptr + row * DIM + channel, mask=t < T, other=0.0)
        dt = tl.load(dt_ptr + row * DIM + channel, mask=t < T, other=0.0)
        b = tl.load(b_ptr + row[:, None] * N + n[None, :], mask=t[:, None] < T, other=0.0)
        c = tl.load(c_ptr + row[:, None] * N + n[None, :], mask=t[:, None] < T, other=0.0)
        gate = tl.exp(dt[:, None] * a[None, :])
        gates, values = tl.associative_scan((gate, (dt * u)[:, None] * b), 0, first_order)
        states = gates * state[None, :] + values
        tl.store(o_ptr + row * DIM + channel, tl.sum(states * c, 1) + skip * u, mask=t < T)
        last = tl.arange(0, BT)[:, None] == BT - 1
        state = tl.sum(tl.where(last, states, 0.0), 0)


@operator()
def selective_scan(w):
    B, T, DIM, N = w.pick(2, 1), w.pick(2048, 100), w.pick(512, 8), 16
    u = w.randn(B, T, DIM, dtype=torch.float32)
    dt = w.rand(B, T, DIM) * 0.1
    a = -w.rand(DIM, N) - 0.1
    b, c, d = w.randn(B, T, N, dtype=torch.float32), w.randn(B, T, N, dtype=torch.float32), w.randn(DIM, dtype=torch.float32)

    def call():
        o = torch.empty_like(u)
        selective_scan_kernel[(DIM, B)](u, dt, a, b, c, d, o, T, DIM, N, 64, num_warps=4)
        return o

    def reference():
        state, rows = torch.zeros(B, DIM, N, device=u.device), []
        for t in range(T):
            state = state * torch.exp(dt[:, t, :, None] * a) + (dt[:, t] * u[:, t])[:, :, None] * b[:, t, None, :]
            rows.append((state * c[:, t, None, :]).sum(-1) + d * u[:, t])
        return torch.stack(rows, 1)
    return Case(call, reference)
