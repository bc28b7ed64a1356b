"""Kernels that calibrate the emulator: Triton compiles them, cases.py says what they compute. Needs Triton, not NumPy."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# ---- elements -------------------------------------------------------------------------------------

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask, other=1), mask=mask)


@triton.jit
def arithmetic(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n, other=1), tl.load(y + i, mask=i < n, other=1)
    tl.store(out + i, a * b - (a - b) * a + tl.where(a > b, a, -b), mask=i < n)


@triton.jit
def divisions(x, y, out, rest, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a // b)
    tl.store(rest + i, a % b)


@triton.jit
def bits(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    s = b & 7
    tl.store(out + i, ((a << s) ^ (a >> s) | (a & b)) + (~a))


@triton.jit
def comparisons(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    r = (a < b).to(tl.int32) + 2 * (a <= b).to(tl.int32) + 4 * (a == b).to(tl.int32) + 8 * (a != b).to(tl.int32)
    r += 16 * (a > b).to(tl.int32) + 32 * (a >= b).to(tl.int32)
    tl.store(out + i, r)


@triton.jit
def extremes(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.minimum(a, b) * 2 + tl.maximum(a, b))


@triton.jit
def clamped(x, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.clamp(tl.load(x + i), low, high))


@triton.jit
def cast(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


@triton.jit
def quotients(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) / tl.load(y + i))


@triton.jit
def exact_functions(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.sqrt_rn(tl.abs(a)) + tl.div_rn(a, b) + tl.floor(a) * 2 + tl.ceil(b) + tl.fma(a, b, a))


@triton.jit
def functions(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    for k in tl.static_range(7):
        if k == 0:
            r = tl.exp(a)
        elif k == 1:
            r = tl.log(tl.abs(a) + 0.5)
        elif k == 2:
            r = tl.sin(a)
        elif k == 3:
            r = tl.cos(a)
        elif k == 4:
            r = tl.rsqrt(tl.abs(a) + 1)
        elif k == 5:
            r = tl.exp2(a)
        else:
            r = tl.log2(tl.abs(a) + 0.5)
        tl.store(out + k * BLOCK + i, r)


@triton.jit
def library(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    for k in tl.static_range(6):
        if k == 0:
            r = libdevice.tanh(a)
        elif k == 1:
            r = libdevice.erf(a)
        elif k == 2:
            r = libdevice.pow(tl.abs(a), a)
        elif k == 3:
            r = libdevice.atan(a)
        elif k == 4:
            r = libdevice.nearbyint(a)
        else:
            r = libdevice.expm1(a)
        tl.store(out + k * BLOCK + i, r)


@triton.jit
def high_products(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.umulhi(tl.load(x + i), tl.load(y + i)))


@triton.jit
def random_numbers(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.randint(seed, i))


@triton.jit
def packed(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.maximum(a * b + a, b))


# ---- memory and control flow ----------------------------------------------------------------------

@triton.jit
def grid_places(out, BLOCK: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    p = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + p * BLOCK + tl.arange(0, BLOCK), p * 100 + tl.num_programs(2))


@triton.jit
def strided(x, out, rows, columns, stride, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    inside = (i < rows) & (j < columns)
    tl.store(out + j * rows + i, tl.load(x + i.to(tl.int64) * stride + j, mask=inside, other=0), mask=inside)


@triton.jit
def collatz(x, out, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    n, steps = tl.load(x + p), 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out + p, steps)


@triton.jit
def summed_rows(x, out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for begin in range(0, columns, BLOCK):
        j = begin + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + j, mask=j < columns, other=0).to(tl.float32)
    tl.store(out + row, tl.sum(total))


@triton.jit
def atomic(x, where, out, old, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p, v = out + tl.load(where + i), tl.load(x + i)
    if OP == "add":
        tl.atomic_add(p, v, mask=i % 3 != 0)
    elif OP == "max":
        tl.atomic_max(p, v)
    elif OP == "min":
        tl.atomic_min(p, v)
    elif OP == "and":
        tl.atomic_and(p, v)
    elif OP == "or":
        tl.atomic_or(p, v)
    else:
        tl.atomic_xor(p, v)


@triton.jit
def counted(out, tickets):
    t = tl.atomic_add(out, 1)
    tl.store(tickets + t, tl.program_id(0))


@triton.jit
def locked(lock, out):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) * 3 + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def swapped(out, x, old, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old + i, tl.atomic_cas(out + i, tl.load(x + i), i + 1000))


@triton.jit
def gathered(x, index, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, tl.gather(tl.load(x + i), tl.load(index + i), 0))


@triton.jit
def counts(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS))


# ---- reductions, scans, sorts, shapes -------------------------------------------------------------

@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + j, mask=j < columns, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + j, v / tl.sum(v, 0), mask=j < columns)


@triton.jit
def layer_norm(x, w, b, out, columns, BLOCK: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + j, mask=j < columns, other=0).to(tl.float32)
    mean = tl.sum(v) / columns
    centred = tl.where(j < columns, v - mean, 0)
    scale = tl.rsqrt(tl.sum(centred * centred) / columns + 1e-5)
    v = centred * scale * tl.load(w + j, mask=j < columns) + tl.load(b + j, mask=j < columns)
    tl.store(out + row * columns + j, v.to(out.dtype.element_ty), mask=j < columns)


@triton.jit
def reduced(x, out, AXIS: tl.constexpr, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if OP == "sum":
        r = tl.sum(v, AXIS)
    elif OP == "max":
        r = tl.max(v, AXIS)
    elif OP == "min":
        r = tl.min(v, AXIS)
    elif OP == "argmax":
        r = tl.argmax(v, AXIS)
    elif OP == "argmin":
        r = tl.argmin(v, AXIS)
    else:
        r = tl.xor_sum(v, AXIS)
    tl.store(out + tl.arange(0, N if AXIS == 0 else M), r)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def scanned(x, out, AXIS: tl.constexpr, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + i)
    tl.store(out + i, tl.cumsum(v, AXIS) if OP == "sum" else tl.associative_scan(v, AXIS, product, reverse=True))


@triton.jit
def sorted_rows(x, out, M: tl.constexpr, N: tl.constexpr, DOWN: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, tl.sort(tl.load(x + i), 1, DOWN))


@triton.jit
def transposed(x, out, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], tl.trans(v))


@triton.jit
def rearranged(x, out, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    a, b = tl.split(tl.reshape(v, (M, N // 2, 2)))
    c = tl.interleave(b, a)
    c = tl.flip(tl.permute(tl.reshape(c, (M, N // 4, 4)), (2, 0, 1)).reshape(4 * M, N // 4), 1)
    tl.store(out + tl.arange(0, 4 * M)[:, None] * (N // 4) + tl.arange(0, N // 4)[None, :], c)


# ---- products of matrices -------------------------------------------------------------------------

@triton.jit
def dot(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x, y = tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :])
    if out.dtype.element_ty.is_int():
        r = tl.dot(x, y, out_dtype=tl.int32)
    else:
        r = tl.dot(x, y, input_precision=PRECISION)
    tl.store(out + m[:, None] * N + n[None, :], r.to(out.dtype.element_ty))


@triton.jit
def matmul(a, b, out, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    pa, pb = a + m[:, None] * sam + k[None, :] * sak, b + k[:, None] * sbk + n[None, :] * sbn
    total = tl.zeros((BM, BN), tl.float32)
    for begin in range(0, K, BK):
        x = tl.load(pa, mask=(m[:, None] < M) & (begin + k[None, :] < K), other=0)
        y = tl.load(pb, mask=(begin + k[:, None] < K) & (n[None, :] < N), other=0)
        total = tl.dot(x, y, total)
        pa += BK * sak
        pb += BK * sbk
    tl.store(out + m[:, None] * N + n[None, :], total.to(out.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + m[:, None] * D + d[None, :], mask=m[:, None] < length, other=0)
    total, top, weight = tl.zeros((BM, D), tl.float32), tl.full((BM,), -float("inf"), tl.float32), tl.zeros((BM,), tl.float32)
    for begin in range(0, (tl.program_id(0) + 1) * BM, BN):
        column = begin + n
        y = tl.load(k + column[None, :] * D + d[:, None], mask=column[None, :] < length, other=0)
        s = tl.where((m[:, None] >= column[None, :]) & (column[None, :] < length), tl.dot(x, y) * scale, -float("inf"))
        highest = tl.maximum(top, tl.max(s, 1))
        p, shrink = tl.exp2(s - highest[:, None]), tl.exp2(top - highest)
        weight = weight * shrink + tl.sum(p, 1)
        z = tl.load(v + column[:, None] * D + d[None, :], mask=column[:, None] < length, other=0)
        total = tl.dot(p.to(z.dtype), z, total * shrink[:, None])
        top = highest
    tl.store(out + m[:, None] * D + d[None, :], total / weight[:, None], mask=m[:, None] < length)


@triton.jit
def scaled_dot(a, sa, b, sb, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, FA: tl.constexpr, FB: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    PA: tl.constexpr = 2 if FA == "e2m1" else 1
    PB: tl.constexpr = 2 if FB == "e2m1" else 1
    ka, kb, ks = tl.arange(0, K // PA), tl.arange(0, K // PB), tl.arange(0, K // 32)
    x, y = tl.load(a + m[:, None] * (K // PA) + ka[None, :]), tl.load(b + kb[:, None] * N + n[None, :])
    u, w = tl.load(sa + m[:, None] * (K // 32) + ks[None, :]), tl.load(sb + n[:, None] * (K // 32) + ks[None, :])
    tl.store(out + m[:, None] * N + n[None, :], tl.dot_scaled(x, u, FA, y, w, FB))
