"""Dots of at least 64 rows in loops: what Hopper's warp groups multiply."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, out_ptr, K, stride_am, stride_ak, stride_bk, stride_bn,
           M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr, KIND: tl.constexpr):
    SUM: tl.constexpr = tl.int32 if KIND == 2 else tl.float16 if KIND == 1 else tl.float32
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    a = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    acc = tl.zeros((M, N), SUM)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        x = tl.load(a, mask=k[None, :] < left, other=0.0)
        y = tl.load(b, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc, out_dtype=SUM)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def two_sums(a_ptr, b_ptr, c_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two sums that the loop only carries, with one operand in common."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    first = tl.zeros((M, N), tl.float32)
    second = tl.full((M, N), 5.0, tl.float32)
    for i in range(0, count):
        x = tl.load(a_ptr + i * M * K + m[:, None] * K + k[None, :])
        y = tl.load(b_ptr + i * K * N + k[:, None] * N + n[None, :])
        z = tl.load(c_ptr + i * K * N + k[:, None] * N + n[None, :])
        first = tl.dot(x, y, first)
        second = tl.dot(x, z, second)
    tl.store(out_ptr + m[:, None] * N + n[None, :], first - 2 * second)


@triton.jit
def chained(q_ptr, k_ptr, v_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """A dot's result is the next dot's operand, whose sum is scaled in between, as in attention."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    acc = tl.zeros((M, D), tl.float32)
    for i in range(0, count):
        k = tl.load(k_ptr + (i * N + n)[:, None] * D + d[None, :])
        s = tl.dot(q, tl.trans(k))
        v = tl.load(v_ptr + (i * N + n)[:, None] * D + d[None, :])
        acc = tl.dot((s * 0.25).to(v.dtype), v, acc * 0.5)
    tl.store(out_ptr + m[:, None] * D + d[None, :], acc)


@triton.jit
def transposed_result(a_ptr, b_ptr, c_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """As in attention's backward pass: a computed operand is transposed, and two sums are carried."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    first = tl.zeros((N, K), tl.float32)
    second = tl.zeros((M, K), tl.float32)
    for i in range(0, count):
        a = tl.load(a_ptr + i * M * K + m[:, None] * K + k[None, :])
        b = tl.load(b_ptr + i * N * K + n[:, None] * K + k[None, :])
        p = tl.dot(a, tl.trans(b)).to(a.dtype)
        first = tl.dot(tl.trans(p), a, first)
        c = tl.load(c_ptr + i * N * K + n[:, None] * K + k[None, :])
        second = tl.dot(p, c, second)
    tl.store(out_ptr + n[:, None] * K + k[None, :], first)
    tl.store(out_ptr + N * K + m[:, None] * K + k[None, :], second)


@triton.jit
def three_sums(a_ptr, b_ptr, c_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Of three sums that the loop only carries, one has both operands in buffers that outlive the iteration; the others' B is
    converted in the loop, one after the other, and each into a buffer of its own."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    first = tl.zeros((M, M), tl.float32)
    second = tl.zeros((M, N), tl.float32)
    third = tl.zeros((M, N), tl.float32)
    for i in range(0, count):
        a = tl.load(a_ptr + i * M * K + m[:, None] * K + k[None, :])
        b = tl.load(b_ptr + i * K * N + k[:, None] * N + n[None, :])
        c = tl.load(c_ptr + i * K * N + k[:, None] * N + n[None, :])
        first = tl.dot(a, tl.trans(a), first)
        second = tl.dot(a, b.to(a.dtype), second)
        third = tl.dot(a, c.to(a.dtype), third)
    tl.store(out_ptr + m[:, None] * M + m[None, :], first)
    tl.store(out_ptr + M * M + m[:, None] * N + n[None, :], second)
    tl.store(out_ptr + M * M + M * N + m[:, None] * N + n[None, :], third)


@triton.jit
def from_registers(a_ptr, b_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A is computed in the loop from bytes; so is B."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(0, count):
        x = tl.load(a_ptr + i * M * K + m[:, None] * K + k[None, :]).to(tl.float16) * 2
        y = tl.load(b_ptr + i * K * N + k[:, None] * N + n[None, :]).to(tl.float16) + 1
        acc = tl.dot(x, y, acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def weights(a_ptr, b_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Only B is computed in the loop: weights of four bits, two in a byte."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(0, count):
        x = tl.load(a_ptr + i * M * K + m[:, None] * K + k[None, :])
        packed = tl.load(b_ptr + i * (K // 2) * N + (k // 2)[:, None] * N + n[None, :])
        y = ((packed >> (k % 2 * 4)[:, None]) & 15).to(tl.float16) - 8
        acc = tl.dot(x, y, acc)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc)


@triton.jit
def batched(a_ptr, b_ptr, out_ptr, count, stride_bk, stride_bn, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SUM: tl.constexpr):
    """Batches of matrices; strides say in which order B lies."""
    batch, m, n, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((B, M, N), tl.int32 if SUM == 2 else tl.float32)
    for i in range(0, count):
        x = tl.load(a_ptr + i * B * M * K + batch[:, None, None] * M * K + m[None, :, None] * K + k[None, None, :])
        y = tl.load(b_ptr + i * B * K * N + batch[:, None, None] * K * N + k[None, :, None] * stride_bk + n[None, None, :] * stride_bn)
        acc = tl.dot(x, y, acc, out_dtype=acc.dtype)
    tl.store(out_ptr + batch[:, None, None] * M * N + m[None, :, None] * N + n[None, None, :], acc)


@triton.jit
def limited(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, LIMIT: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a_ptr + m[:, None] * K + k[None, :])
    y = tl.load(b_ptr + k[:, None] + n[None, :] * K)
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(x, y, tl.full((M, N), 3.0, tl.float32), max_num_imprecise_acc=LIMIT))
