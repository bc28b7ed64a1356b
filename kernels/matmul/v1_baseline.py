"""v1_baseline: one program per 32 by 32 tile of the result, row by row; bias and activation follow as a kernel of their own.

A direct translation: a loop over the inner dimension accumulates products of tiles. Each tile of 32 rows is read again for every
32 columns, so that the L2 cache has to deliver far more than the multiprocessors can use.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import finish, precision, prepare


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, a_b, a_m, a_k, b_b, b_k, b_n, PRECISION: tl.constexpr, COMPUTE: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    tiles = tl.cdiv(N, BN)
    m = tl.program_id(0) // tiles * BM + tl.arange(0, BM)
    n = tl.program_id(0) % tiles * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + batch * a_b + m[:, None].to(tl.int64) * a_m
    b_ptrs = b_ptr + batch * b_b + n[None, :].to(tl.int64) * b_n
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(0, K, BK):
        a = tl.load(a_ptrs + (first + k)[None, :].to(tl.int64) * a_k, mask=(m < M)[:, None] & (first + k < K)[None, :], other=0.0)
        b = tl.load(b_ptrs + (first + k)[:, None].to(tl.int64) * b_k, mask=(first + k < K)[:, None] & (n < N)[None, :], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=COMPUTE)
    c = c_ptr + batch * M * N + m[:, None].to(tl.int64) * N + n[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


def forward(a, b):
    batch, M, K = a.shape
    N = b.shape[2]
    c = torch.empty(batch, M, N, dtype=a.dtype, device=a.device)
    if c.numel():
        matmul_kernel[(triton.cdiv(M, 32) * triton.cdiv(N, 32), batch)](
            a, b, c, M, N, K, *a.stride(), *b.stride(), PRECISION=precision(a.dtype), COMPUTE=accumulator(a.dtype), BM=32, BN=32, BK=32)
    return c


def triton_matmul(input, other, *, bias=None, activation=None):
    """As torch.matmul; then the bias is added and the activation applied."""
    a, b, bias, activation, shape = prepare(input, other, bias, activation)
    return finish(forward(a, b), bias, activation).view(shape)
