"""v3_coalesced: wide accesses without masks, and tiles in an order that shares the cache.

Rows and columns past the end wrap around instead of being masked (their results are not stored), and no step is masked if the
inner size is a multiple of the tile's: the copies are then 16 bytes wide and asynchronous. Programs walk down eight rows of tiles
before they move to the next column, so that programs that run together read the same rows and columns from the L2 cache.
Tile sizes are fixed; bias and activation follow as a kernel of their own.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import finish, precision, prepare


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, a_b, a_m, a_k, b_b, b_k, b_n, PRECISION: tl.constexpr, COMPUTE: tl.constexpr,
                  EVEN_K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    per_group = GROUP * tl.cdiv(N, BN)
    top = tl.program_id(0) // per_group * GROUP
    height = tl.minimum(tl.cdiv(M, BM) - top, GROUP)
    row = top + tl.program_id(0) % per_group % height
    column = tl.program_id(0) % per_group // height
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + batch * a_b + (m % M)[:, None].to(tl.int64) * a_m + k[None, :] * a_k
    b_ptrs = b_ptr + batch * b_b + (n % N)[None, :].to(tl.int64) * b_n + k[:, None] * b_k
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(0, K, BK):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        else:
            a = tl.load(a_ptrs, mask=(k < K - first)[None, :], other=0.0)
            b = tl.load(b_ptrs, mask=(k < K - first)[:, None], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=COMPUTE)
        a_ptrs += BK * a_k
        b_ptrs += BK * b_k
    c = c_ptr + batch * M * N + m[:, None].to(tl.int64) * N + n[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


def forward(a, b):
    batch, M, K = a.shape
    N = b.shape[2]
    c = torch.empty(batch, M, N, dtype=a.dtype, device=a.device)
    large = a.element_size() <= 2
    tile = dict(BM=128, BN=128, BK=32, num_warps=8, num_stages=3) if large else dict(BM=64, BN=64, BK=32, num_warps=4, num_stages=3)
    if c.numel():
        matmul_kernel[(triton.cdiv(M, tile["BM"]) * triton.cdiv(N, tile["BN"]), batch)](
            a, b, c, M, N, K, *a.stride(), *b.stride(), PRECISION=precision(a.dtype), COMPUTE=accumulator(a.dtype),
            EVEN_K=K % 32 == 0, GROUP=8, **tile)
    return c


def triton_matmul(input, other, *, bias=None, activation=None):
    """As torch.matmul; then the bias is added and the activation applied."""
    a, b, bias, activation, shape = prepare(input, other, bias, activation)
    return finish(forward(a, b), bias, activation).view(shape)
