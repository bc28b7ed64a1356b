"""Kernels that ptxas spills registers of when they are compiled the usual way for cuda:90."""
import triton
import triton.language as tl


@triton.jit
def shared_operands(q_ptr, k_ptr, v_ptr, d_ptr, h_ptr, g_ptr, x_ptr, y_ptr, z_ptr, rate, scale, T: tl.constexpr):
    """Six tiles, each an operand of two or three products: of wgmma in one order, of mma.sync in the other."""
    i = tl.arange(0, T)
    at = i[:, None] * T + i[None, :]
    q, k, v, d = tl.load(q_ptr + at), tl.load(k_ptr + at), tl.load(v_ptr + at), tl.load(d_ptr + at)
    h = tl.load(h_ptr + i[None, :] * T + i[:, None])
    g = tl.load(g_ptr + at)
    weight = tl.where(i[:, None] >= i[None, :], tl.exp2((i[:, None] - i[None, :]) * rate), 0.0)
    s = tl.dot(d, tl.trans(v)) * weight * scale
    x = tl.dot(d, h) * tl.exp2((i + 1) * rate)[:, None] * scale + tl.dot(s, k)
    y = tl.dot(v, g) * tl.exp2((T - 1 - i) * rate)[:, None] + tl.dot(tl.trans(s), q)
    tl.store(x_ptr + at, x)
    tl.store(y_ptr + at, y)
    t = tl.where(i[:, None] <= i[None, :], tl.dot(k, tl.trans(q)) * tl.trans(weight) * scale, 0.0)
    z = tl.dot(k, tl.trans(g)) * tl.exp2((T - 1 - i) * rate)[:, None] + tl.dot(t, d)
    tl.store(z_ptr + at, z)


@triton.jit
def unaligned(a_ptr, b_ptr, c_ptr, sizes_ptr, tiles, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Nothing is known of addresses and strides: elements move alone, through registers, beside 128 sums a thread.

    Rows from `plain` on become columns, so that the addresses of the sums have nothing in common.
    """
    for tile in range(tiles):
        columns, steps = tl.load(sizes_ptr), tl.load(sizes_ptr + 1)
        lda, ldb, ldc = tl.load(sizes_ptr + 2), tl.load(sizes_ptr + 3), tl.load(sizes_ptr + 4)
        m = tile // columns * BM + tl.arange(0, BM)
        n = tile % columns * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        a = a_ptr + m[:, None] * lda + k[None, :]
        b = b_ptr + k[:, None] * ldb + n[None, :]
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for _ in range(steps):
            acc += tl.dot(tl.load(a), tl.load(b))
            a += BK
            b += BK * ldb
        plain = tl.load(sizes_ptr + 5)
        place = tl.where(m[:, None] < plain, m[:, None] * ldc + n[None, :], m[:, None] + n[None, :] * ldc)
        tl.store(c_ptr + place, acc.to(tl.float16))
