"""Pipelined loops with what few programs have in them."""
import triton
import triton.language as tl


@triton.jit
def gathered(x_ptr, idx_ptr, w_ptr, out_ptr, n, T: tl.constexpr, S: tl.constexpr):
    """Indices of two loads decide on the rows; a while loop holds the pipelined loop; its own load decides how often."""
    r = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    passes = tl.load(idx_ptr + 4096)
    while passes > 0:
        for k in tl.range(0, n, num_stages=S):
            i = tl.load(idx_ptr + k * T + r)
            j = tl.load(idx_ptr + i)
            a = tl.load(x_ptr + j[:, None].to(tl.int64) * T + r[None, :], mask=(j >= 0)[:, None], other=0.0)
            w = tl.load(w_ptr + k * T * T + r[:, None] * T + r[None, :])
            acc = tl.dot(a, w, acc)
        passes -= 1
    tl.store(out_ptr + r[:, None] * T + r[None, :], acc)


@triton.jit
def odd_types(x_ptr, m_ptr, out_ptr, n, N: tl.constexpr, S: tl.constexpr):
    """Sum of masked loads of an odd type; the mask is loaded, too (int1 stored as bytes)."""
    r = tl.arange(0, N)
    acc = tl.zeros((N,), tl.float64)
    for k in tl.range(n, num_stages=S):
        m = tl.load(m_ptr + k * N + r).to(tl.int1)
        x = tl.load(x_ptr + k * N + r, mask=m, other=0.0)
        acc += x.to(tl.float32).to(tl.float64)
    tl.store(out_ptr + r, acc)


@triton.jit
def three_d(x_ptr, out_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, S: tl.constexpr):
    a, b, c = tl.arange(0, A)[:, None, None], tl.arange(0, B)[None, :, None], tl.arange(0, C)[None, None, :]
    acc = tl.zeros((A, 1, C), tl.float32)
    for k in tl.range(n, num_stages=S):
        x = tl.load(x_ptr + k * A * B * C + a * B * C + b * C + c)
        s = tl.cumsum(x, axis=1)
        acc += tl.sum(tl.sum(s, axis=1, keep_dims=True) * tl.sum(x, axis=0, keep_dims=True), axis=1, keep_dims=True)
    tl.store(out_ptr + a * C + c, acc)


@triton.jit
def sorted_sums(x_ptr, out_ptr, n, N: tl.constexpr, S: tl.constexpr):
    r = tl.arange(0, N)
    acc = tl.zeros((N,), tl.int32)
    for k in tl.range(n, num_stages=S):
        x = tl.load(x_ptr + k * N + r)
        acc = tl.cumsum(tl.sort(acc + x), axis=0, reverse=True) & 0xFFFF
    tl.store(out_ptr + r, acc)


@triton.jit
def atomics(x_ptr, at_ptr, out_ptr, n, N: tl.constexpr, S: tl.constexpr):
    """What one iteration adds, a later one loads: from the same memory."""
    r = tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    for k in tl.range(n, num_stages=S):
        i = tl.load(at_ptr + k * N + r)
        old = tl.atomic_add(x_ptr + i, 1, mask=i >= 0)
        tl.debug_barrier()
        total += tl.where(i >= 0, old, 0) * 0 + tl.load(x_ptr + r)
        tl.debug_barrier()
    tl.store(out_ptr + r, total)


@triton.jit
def flattened(x_ptr, w_ptr, count_ptr, out_ptr, outer, T: tl.constexpr, S: tl.constexpr, F: tl.constexpr):
    r = tl.arange(0, T)
    for o in tl.range(outer, flatten=F, num_stages=S):
        n = tl.load(count_ptr + o)
        acc = tl.zeros((T, T), tl.float32)
        for k in range(n):
            a = tl.load(x_ptr + (o * 3 + k) * T * T + r[:, None] * T + r[None, :])
            w = tl.load(w_ptr + k * T * T + r[:, None] * T + r[None, :])
            acc = tl.dot(a, w, acc)
        tl.store(out_ptr + o * T * T + r[:, None] * T + r[None, :], acc)


@triton.jit
def nothing(x_ptr, out_ptr, n, N: tl.constexpr, S: tl.constexpr):
    r = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for k in tl.range(n, num_stages=S):
        a = tl.load(x_ptr + 1000000000 + k * N * N + r[:, None] * N + r[None, :], mask=(r[:, None] > N + k) & (r[None, :] >= 0), other=1.0)
        b = tl.load(x_ptr + k * N * N + r[:, None] * N + r[None, :], mask=r[:, None] * 0 + r[None, :] < 0)
        c = tl.load(x_ptr + r[:, None] * N + r[None, :])
        acc = tl.dot(a, c, acc)
        acc = tl.dot(tl.where(r[:, None] < 0, b, 0.0).to(a.dtype), c, acc)
    tl.store(out_ptr + r[:, None] * N + r[None, :], acc)


@triton.jit
def far(x_ptr, out_ptr, big, stride, n, T: tl.constexpr, S: tl.constexpr):
    """Offsets whose parts are beyond 2^31 elements, though the sums are not."""
    r = tl.arange(0, T)
    base = x_ptr - big * 3
    acc = tl.zeros((T, T), tl.float32)
    for k in tl.range(n, num_stages=S):
        offs = big * 3 + (r[:, None] + k * T).to(tl.int64) * stride + r[None, :] - stride * (k * T).to(tl.int64) + k * T * T
        a = tl.load(base + offs)
        acc = tl.dot(a, a, acc)
    tl.store(out_ptr + r[:, None] * T + r[None, :], acc)


@triton.jit
def one_wide(x_ptr, y_ptr, out_ptr, n, N: tl.constexpr, S: tl.constexpr):
    r = tl.arange(0, N)
    one = tl.arange(0, 1)
    acc = tl.zeros((N, N), tl.float32)
    for k in tl.range(n, num_stages=S):
        a = tl.load(x_ptr + k * N + r[:, None] + one[None, :])
        b = tl.load(y_ptr + k + one)[None, :]
        c = tl.load(y_ptr + k + one[:, None] + r[None, :])
        acc += a * b + c
        acc = tl.where((tl.max(a, axis=0) > 1.0)[None, :], acc, acc + 1.0)
    tl.store(out_ptr + r[:, None] * N + r[None, :], acc)
