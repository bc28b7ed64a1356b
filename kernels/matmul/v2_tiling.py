"""v2_tiling: large tiles, whose sizes, warps and pipeline stages are chosen by measuring.

A tile of 128 by 256 needs an eighth of v1's reads per product. Stages are copies of the next tiles that run while this one is
multiplied. Programs still take tiles row by row, and bias and activation follow as a kernel of their own.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import finish, precision, prepare

CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=w, num_stages=s)
           for m, n, k, w, s in ((64, 64, 32, 4, 3), (128, 128, 64, 8, 3), (128, 128, 32, 4, 4), (128, 256, 64, 8, 3), (64, 128, 64, 4, 3))]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, a_b, a_m, a_k, b_b, b_k, b_n, PRECISION: tl.constexpr, COMPUTE: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    tiles = tl.cdiv(N, BN)
    m = tl.program_id(0) // tiles * BM + tl.arange(0, BM)
    n = tl.program_id(0) % tiles * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + batch * a_b + m[:, None].to(tl.int64) * a_m + k[None, :] * a_k
    b_ptrs = b_ptr + batch * b_b + n[None, :].to(tl.int64) * b_n + k[:, None] * b_k
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(0, K, BK):
        a = tl.load(a_ptrs, mask=(m < M)[:, None] & (k < K - first)[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=(k < K - first)[:, None] & (n < N)[None, :], other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=COMPUTE)
        a_ptrs += BK * a_k
        b_ptrs += BK * b_k
    c = c_ptr + batch * M * N + m[:, None].to(tl.int64) * N + n[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


def forward(a, b):
    batch, M, K = a.shape
    N = b.shape[2]
    c = torch.empty(batch, M, N, dtype=a.dtype, device=a.device)
    if c.numel():
        matmul_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]), batch)](
            a, b, c, M, N, K, *a.stride(), *b.stride(), PRECISION=precision(a.dtype), COMPUTE=accumulator(a.dtype))
    return c


def triton_matmul(input, other, *, bias=None, activation=None):
    """As torch.matmul; then the bias is added and the activation applied."""
    a, b, bias, activation, shape = prepare(input, other, bias, activation)
    return finish(forward(a, b), bias, activation).view(shape)
