"""Quantisation and products with quantised operands: int8, int4, fp8, fp4, block scales."""
import triton
import triton.language as tl

from corpus import Case, operator, torch
from programs.products import product


# ---- quantisation ---------------------------------------------------------------------------------

@triton.jit
def quantise_rows_kernel(x_ptr, q_ptr, s_ptr, N, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), 0), 1e-10) / 127.0
    q = x / scale
    q = (q + tl.where(q >= 0, 0.5, -0.5)).to(tl.int8)
    tl.store(q_ptr + row * N + i, q, mask=i < N)
    tl.store(s_ptr + row, scale)


@operator(variants=[dict(N=4096), dict(N=11008)])
def quantise_int8_rows(w, N):
    x = w.randn(w.pick(4096, 16), N)

    def call():
        q = torch.empty(x.shape, dtype=torch.int8, device=x.device)
        s = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
        quantise_rows_kernel[(x.shape[0],)](x, q, s, N, triton.next_power_of_2(N), num_warps=8)
        return q, s

    def reference():
        s = x.float().abs().amax(-1).clamp(min=1e-10) / 127
        return (x.float() / s[:, None]).round().clamp(-127, 127).to(torch.int8), s
    return Case(call, reference, tolerance=1e-4, allowed=1e-3)


@triton.jit
def quantise_groups_fp8_kernel(x_ptr, q_ptr, s_ptr, count, GROUP: tl.constexpr, GROUPS: tl.constexpr):
    g = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    i = tl.arange(0, GROUP)
    mask = g[:, None] < count
    x = tl.load(x_ptr + g[:, None] * GROUP + i[None, :], mask=mask, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), 1), 1e-10) / 448.0
    q = tl.clamp(x / scale[:, None], -448.0, 448.0)
    tl.store(q_ptr + g[:, None] * GROUP + i[None, :], q.to(q_ptr.dtype.element_ty), mask=mask)
    tl.store(s_ptr + g, scale, mask=g < count)


@operator(variants=[dict(groups=1), dict(groups=8)])
def quantise_fp8_groups(w, groups):
    x = w.randn(w.pick(4096, 16), w.pick(7168, 512), dtype=torch.bfloat16)
    count = x.numel() // 128

    def call():
        q = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
        s = torch.empty(count, dtype=torch.float32, device=x.device)
        quantise_groups_fp8_kernel[(triton.cdiv(count, groups),)](x, q, s, count, 128, groups, num_warps=1 if groups == 1 else 4)
        return q.float().view(-1, 128) * s[:, None]
    return Case(call, lambda: x.float().view(-1, 128), tolerance=0.1)


@triton.jit
def dequantise_blocks_kernel(q_ptr, s_ptr, y_ptr, M, N, BLOCK: tl.constexpr):
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (m[:, None] < M) & (n[None, :] < N)
    q = tl.load(q_ptr + m[:, None] * N + n[None, :], mask=mask, other=0.0).to(tl.float32)
    s = tl.load(s_ptr + tl.program_id(0) * tl.cdiv(N, BLOCK) + tl.program_id(1))
    tl.store(y_ptr + m[:, None] * N + n[None, :], (q * s).to(y_ptr.dtype.element_ty), mask=mask)


@operator()
def dequantise_fp8_blocks(w):
    M, N = w.pick(4096, 256), w.pick(7168, 384)
    q, s = w.randn(M, N, dtype=torch.float8_e4m3fn), w.rand(M // 128, N // 128)

    def call():
        y = torch.empty((M, N), dtype=torch.bfloat16, device=q.device)
        dequantise_blocks_kernel[(M // 128, N // 128)](q, s, y, M, N, 128, num_warps=8)
        return y
    return Case(call, lambda: q.float() * s.repeat_interleave(128, 0).repeat_interleave(128, 1))


@triton.jit
def unpack_fp4_kernel(q_ptr, s_ptr, y_ptr, count, BLOCK: tl.constexpr):
    """Two e2m1 numbers a byte, a power of two for each 32: by bit operations on 16 bits."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    packed = tl.load(q_ptr + i, mask=i < count, other=0)
    scale = tl.load(s_ptr + i // 16, mask=i < count, other=0)
    low = (packed & 0xF).to(tl.uint16)
    high = (packed >> 4).to(tl.uint16)
    factor = (scale.to(tl.uint16) << 7).to(tl.bfloat16, bitcast=True)
    y = tl.join(fp4_to_bf16(low), fp4_to_bf16(high)) * factor[:, None]
    tl.store(y_ptr + tl.program_id(0) * BLOCK * 2 + tl.arange(0, 2 * BLOCK), y.reshape([2 * BLOCK]),
             mask=tl.program_id(0) * BLOCK * 2 + tl.arange(0, 2 * BLOCK) < 2 * count)


@triton.jit
def fp4_to_bf16(x):
    sign = (x & 8) << 12
    exponent = (x >> 1) & 3
    mantissa = x & 1
    normal = ((exponent + 126) << 7) | (mantissa << 6)
    small = tl.where(mantissa == 1, tl.full(x.shape, 0x3F00, tl.uint16), tl.zeros(x.shape, tl.uint16))
    return (sign | tl.where(exponent == 0, small, normal)).to(tl.uint16).to(tl.bfloat16, bitcast=True)


def fp4_values(device):
    values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    return torch.tensor(values + [-v for v in values], device=device)


@operator(suspect=True)
def unpack_fp4(w):
    count = w.pick(1 << 22, 4096)
    q, s = w.randint(0, 256, (count,), torch.uint8), w.randint(120, 134, (count // 16,), torch.uint8)

    def call():
        y = torch.empty(2 * count, dtype=torch.bfloat16, device=q.device)
        unpack_fp4_kernel[(triton.cdiv(count, 512),)](q, s, y, count, 512)
        return y

    def reference():
        table = fp4_values(q.device)
        both = torch.stack([table[(q & 15).long()], table[(q >> 4).long()]], -1)
        return (both * torch.exp2(s.float() - 127).repeat_interleave(16)[:, None]).flatten()
    return Case(call, reference)


# ---- products -------------------------------------------------------------------------------------

@triton.jit
def int4_product_kernel(a_ptr, b_ptr, s_ptr, z_ptr, c_ptr, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                        BK: tl.constexpr):
    """Weights of four bits, eight of a column in an int32; a scale and a zero point for GROUP of them."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    shift = (k % 8) * 4
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=m[:, None] < M, other=0.0)
        packed = tl.load(b_ptr + ((start + k) // 8)[:, None] * N + n[None, :])
        group = start // GROUP
        scale = tl.load(s_ptr + group * N + n)
        zero = tl.load(z_ptr + group * N + n)
        b = (((packed >> shift[:, None]) & 0xF) - zero[None, :]).to(tl.float16) * scale[None, :]
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=m[:, None] < M)


@operator(suspect=True, variants=[dict(M=16, BM=16), dict(M=512, BM=64)])
def int4_product(w, M, BM):
    N, K, GROUP = w.pick(4096, 128), w.pick(4096, 256), 128
    a = w.randn(M, K)
    b = w.randint(-2**31, 2**31 - 1, (K // 8, N), torch.int32)
    s, z = w.rand(K // GROUP, N, dtype=torch.float16), w.randint(0, 16, (K // GROUP, N), torch.int32)

    def call():
        c = torch.empty((M, N), dtype=torch.float16, device=a.device)
        int4_product_kernel[(triton.cdiv(M, BM), N // 64)](a, b, s, z, c, M, N, K, GROUP, BM, 64, 64, num_warps=4, num_stages=3)
        return c

    def reference():
        bits = (b.view(K // 8, 1, N) >> (torch.arange(8, device=b.device, dtype=torch.int32) * 4).view(1, 8, 1)) & 15
        full = (bits.reshape(K, N) - z.repeat_interleave(GROUP, 0)).float() * s.float().repeat_interleave(GROUP, 0)
        return product(a, full)
    return Case(call, reference)


@triton.jit
def fp8_blocks_product_kernel(a_ptr, b_ptr, c_ptr, as_ptr, bs_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A scale for every row and 128 of K in A, for every 128 by 128 block of B."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + (m % M)[:, None] * K + k[None, :]
    b = b_ptr + n[None, :] * K + k[:, None]
    steps = tl.cdiv(K, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(steps):
        x = tl.load(a, mask=k[None, :] < K - step * BK, other=0.0)
        y = tl.load(b, mask=k[:, None] < K - step * BK, other=0.0)
        left = tl.load(as_ptr + (m % M) * steps + step)
        right = tl.load(bs_ptr + (n // 128) * steps + step)
        acc += tl.dot(x, y) * left[:, None] * right[None, :]
        a += BK
        b += BK
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=m[:, None] < M)


@operator(variants=[dict(M=64), dict(M=4096)])
def fp8_blocks_product(w, M):
    M, N, K = w.pick(M, 64), w.pick(4096, 256), w.pick(7168, 256)
    a, b = w.randn(M, K, dtype=torch.float8_e4m3fn), w.randn(N, K, dtype=torch.float8_e4m3fn)
    left, right = w.rand(M, K // 128), w.rand(N // 128, K // 128)

    def call():
        c = torch.empty((M, N), dtype=torch.bfloat16, device=a.device)
        fp8_blocks_product_kernel[(triton.cdiv(M, 64), N // 128)](a, b, c, left, right, M, N, K, 64, 128, 128, num_warps=4, num_stages=3)
        return c

    def reference():
        x = a.float() * left.repeat_interleave(128, 1)
        return product(x, (b.float() * right.repeat_interleave(128, 0).repeat_interleave(128, 1)).t())
    return Case(call, reference)


@triton.jit
def int8_scaled_kernel(a_ptr, b_ptr, c_ptr, as_ptr, bs_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.int32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + (m % M)[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + n[None, :] * K + (start + k)[:, None])
        acc = tl.dot(a, b, acc, out_dtype=tl.int32)
    left, right = tl.load(as_ptr + m, mask=m < M), tl.load(bs_ptr + n)
    tl.store(c_ptr + m[:, None] * N + n[None, :], (acc.to(tl.float32) * left[:, None] * right[None, :]).to(tl.float16), mask=m[:, None] < M)


@operator()
def int8_scaled_product(w):
    M, N, K = w.pick(2048, 96), w.pick(4096, 128), w.pick(4096, 256)
    a, b = w.randint(-127, 128, (M, K), torch.int8), w.randint(-127, 128, (N, K), torch.int8)
    left, right = w.rand(M) * 0.001, w.rand(N) * 0.01

    def call():
        c = torch.empty((M, N), dtype=torch.float16, device=a.device)
        int8_scaled_kernel[(triton.cdiv(M, 128), N // 128)](a, b, c, left, right, M, N, K, 128, 128, 64, num_warps=8, num_stages=3)
        return c
    return Case(call, lambda: (a.double() @ b.double().t()) * left[:, None] * right[None, :])


@triton.jit
def block_scaled_kernel(a_ptr, as_ptr, b_ptr, bs_ptr, c_ptr, M, N, K, A: tl.constexpr, B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                        BK: tl.constexpr):
    """Microscaling: an exponent for each 32 numbers along K; e2m1 operands have two numbers in a byte."""
    PA: tl.constexpr = 2 if A == "e2m1" else 1
    PB: tl.constexpr = 2 if B == "e2m1" else 1
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    ka = tl.arange(0, BK // PA)
    kb = tl.arange(0, BK // PB)
    ks = tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.cdiv(K, BK)):
        a = tl.load(a_ptr + m[:, None] * (K // PA) + (step * (BK // PA) + ka)[None, :])
        b = tl.load(b_ptr + n[None, :] * (K // PB) + (step * (BK // PB) + kb)[:, None])
        sa = tl.load(as_ptr + m[:, None] * (K // 32) + (step * (BK // 32) + ks)[None, :])
        sb = tl.load(bs_ptr + n[:, None] * (K // 32) + (step * (BK // 32) + ks)[None, :])
        acc = tl.dot_scaled(a, sa, A, b, sb, B, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float32))


def scaled_operand(w, rows, K, kind):
    exponents = w.randint(124, 130, (rows, K // 32), torch.uint8)
    factor = torch.exp2(exponents.float() - 127).repeat_interleave(32, 1)
    if kind == "e2m1":
        packed = w.randint(0, 256, (rows, K // 2), torch.uint8)
        table = fp4_values(packed.device)
        return packed, exponents, torch.stack([table[(packed & 15).long()], table[(packed >> 4).long()]], -1).reshape(rows, K) * factor
    values = w.randn(rows, K, dtype=torch.float8_e4m3fn if kind == "e4m3" else torch.float8_e5m2)
    return values, exponents, values.float() * factor


@operator(suspect=True, variants=[dict(A="e4m3", B="e4m3"), dict(A="e4m3", B="e2m1"), dict(A="e2m1", B="e2m1")])
def block_scaled(w, A, B):
    M, N, K = w.pick(2048, 128), w.pick(2048, 128), w.pick(2048, 256)
    a, sa, plain_a = scaled_operand(w, M, K, A)
    b, sb, plain_b = scaled_operand(w, N, K, B)

    def call():
        c = torch.empty((M, N), dtype=torch.float32, device=a.device)
        block_scaled_kernel[(M // 128, N // 128)](a, sa, b, sb, c, M, N, K, A, B, 128, 128, 128, num_warps=8, num_stages=2)
        return c
    return Case(call, lambda: product(plain_a, plain_b.t()), tolerance=0.02)
