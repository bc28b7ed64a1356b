"""v4_optimized: v3's accesses with measured tiles, bias and activation fused, and the inner dimension split if tiles are few.

The bias is added and the activation applied while the tile is in registers, which saves a reading and a writing of the result.
If the result has fewer tiles than the GPU has multiprocessors (a few rows against a large matrix), the inner dimension is
split: each program writes the partial sums of its share in fp32, and a second kernel adds them in a fixed order, so that the
result is deterministic, and then applies bias and activation.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, processors
from .arguments import precision, prepare

CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=w, num_stages=s)
           for m, n, k, w, s in ((64, 64, 32, 4, 3), (64, 64, 64, 4, 4), (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 3), (128, 128, 64, 4, 4),
                                 (64, 128, 64, 4, 4))]


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == 1:
        x = tl.where(x < 0, 0.0, x)
    if ACTIVATION == 2:
        x = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    if ACTIVATION == 3:
        x = x / (1 + tl.exp(-x))
    return x


@triton.jit
def product(a_ptr, b_ptr, m, n, M, N, begin, end, a_m, a_k, b_k, b_n, EVEN_K: tl.constexpr, PRECISION: tl.constexpr,
            COMPUTE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The sum over the inner indices from begin to end."""
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + (m % M)[:, None].to(tl.int64) * a_m + (begin + k)[None, :].to(tl.int64) * a_k
    b_ptrs = b_ptr + (n % N)[None, :].to(tl.int64) * b_n + (begin + k)[:, None].to(tl.int64) * b_k
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(begin, end, BK):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        else:
            a = tl.load(a_ptrs, mask=(k < end - first)[None, :], other=0.0)
            b = tl.load(b_ptrs, mask=(k < end - first)[:, None], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=COMPUTE)
        a_ptrs += BK * a_k
        b_ptrs += BK * b_k
    return acc


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, a_b, a_m, a_k, b_b, b_k, b_n,
                  HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr, PRECISION: tl.constexpr, COMPUTE: tl.constexpr,
                  EVEN_K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    per_group = GROUP * tl.cdiv(N, BN)
    top = tl.program_id(0) // per_group * GROUP
    height = tl.minimum(tl.cdiv(M, BM) - top, GROUP)
    m = (top + tl.program_id(0) % per_group % height) * BM + tl.arange(0, BM)
    n = tl.program_id(0) % per_group // height * BN + tl.arange(0, BN)
    acc = product(a_ptr + batch * a_b, b_ptr + batch * b_b, m, n, M, N, 0, K, a_m, a_k, b_k, b_n, EVEN_K, PRECISION, COMPUTE, BM, BN, BK)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + n, mask=n < N, other=0.0).to(COMPUTE)[None, :]
    c = c_ptr + batch * M * N + m[:, None].to(tl.int64) * N + n[None, :]
    tl.store(c, activate(acc, ACTIVATION).to(c_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def share_kernel(a_ptr, b_ptr, partial_ptr, M, N, K, share, a_m, a_k, b_k, b_n, EVEN_K: tl.constexpr, PRECISION: tl.constexpr,
                 COMPUTE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The partial sums of one share of the inner dimension, which is axis 1 of the grid."""
    tiles = tl.cdiv(N, BN)
    m = tl.program_id(0) // tiles * BM + tl.arange(0, BM)
    n = tl.program_id(0) % tiles * BN + tl.arange(0, BN)
    begin = tl.program_id(1) * share
    acc = product(a_ptr, b_ptr, m, n, M, N, begin, tl.minimum(begin + share, K), a_m, a_k, b_k, b_n, EVEN_K, PRECISION, COMPUTE, BM, BN, BK)
    partial = partial_ptr + (tl.program_id(1).to(tl.int64) * M + m[:, None]) * N + n[None, :]
    tl.store(partial, acc, mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def add_shares_kernel(partial_ptr, bias_ptr, c_ptr, size, N, shares, HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), partial_ptr.dtype.element_ty)
    for share in range(0, shares):
        total += tl.load(partial_ptr + tl.cast(share, tl.int64) * size + at, mask=at < size, other=0.0)
    if HAS_BIAS:
        total += tl.load(bias_ptr + at % N, mask=at < size, other=0.0).to(total.dtype)
    tl.store(c_ptr + at, activate(total, ACTIVATION).to(c_ptr.dtype.element_ty), mask=at < size)


def number_of_shares(batch, M, N, K, device):
    """Returns into how many shares the inner dimension is split: 1 if there are tiles enough for all multiprocessors."""
    if batch != 1 or K < 1024:
        return 1
    tiles = triton.cdiv(M, 64) * triton.cdiv(N, 64)
    return max(min(2 * processors(device) // tiles, K // 256, 32), 1)


def split(a, b, bias, activation, shares, c):
    M, K, N = a.shape[1], a.shape[2], b.shape[2]
    block_k = 64 if a.element_size() <= 2 else 32
    share = triton.cdiv(triton.cdiv(K, shares), block_k) * block_k
    shares = triton.cdiv(K, share)
    partial = torch.empty(shares, M, N, dtype=torch.float64 if a.dtype == torch.float64 else torch.float32, device=a.device)
    block_m = 16 if M <= 16 else 32 if M <= 32 else 64
    share_kernel[(triton.cdiv(M, block_m) * triton.cdiv(N, 64), shares)](
        a, b, partial, M, N, K, share, *a.stride()[1:], *b.stride()[1:], EVEN_K=K % block_k == 0, PRECISION=precision(a.dtype),
        COMPUTE=accumulator(a.dtype), BM=block_m, BN=64, BK=block_k, num_warps=4, num_stages=4)
    add_shares_kernel[(triton.cdiv(M * N, 1024),)](partial, c if bias is None else bias, c, M * N, N, shares, HAS_BIAS=bias is not None,
                                                  ACTIVATION=activation, BLOCK=1024)


def forward(a, b, bias, activation):
    batch, M, K = a.shape
    N = b.shape[2]
    c = torch.empty(batch, M, N, dtype=a.dtype, device=a.device)
    if c.numel() == 0:
        return c
    shares = number_of_shares(batch, M, N, K, a.device)
    if shares > 1:
        split(a, b, bias, activation, shares, c)
        return c
    matmul_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]), batch)](
        a, b, c if bias is None else bias, c, M, N, K, *a.stride(), *b.stride(), HAS_BIAS=bias is not None, ACTIVATION=activation,
        PRECISION=precision(a.dtype), COMPUTE=accumulator(a.dtype), EVEN_K=K % 64 == 0, GROUP=8)
    return c


def triton_matmul(input, other, *, bias=None, activation=None):
    """As torch.matmul; then the bias is added and the activation applied."""
    a, b, bias, activation, shape = prepare(input, other, bias, activation)
    return forward(a, b, bias, activation).view(shape)
