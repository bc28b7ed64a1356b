"""v3_coalesced: neighbouring threads always read neighbouring addresses, whatever the dimension.

A tile is [elements of the dimension, neighbouring rows]. If the dimension is the last one, the tile is one row wide and lies
along it; otherwise it is 32 rows wide, and each of its lines is one contiguous access. A dense tensor whose dimensions are
permuted (a transposed matrix) is taken in the order of memory instead of being copied. Tile sizes are fixed.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import Softmax, in_memory_order, prepare, restore, split


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n, inner, COMPUTE: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_I: tl.constexpr):
    tiles = tl.cdiv(inner, BLOCK_I)
    start = (tl.program_id(0) // tiles).to(tl.int64) * n * inner
    i = tl.program_id(0) % tiles * BLOCK_I + tl.arange(0, BLOCK_I)
    k = tl.arange(0, BLOCK_N)
    largest = tl.full((BLOCK_N, BLOCK_I), -1.0e38, COMPUTE)
    total = tl.zeros((BLOCK_N, BLOCK_I), COMPUTE)
    for first in range(0, n, BLOCK_N):
        mask = (first + k < n)[:, None] & (i < inner)[None, :]
        place = (first + k).to(tl.int64)[:, None] * inner + i[None, :]
        x = tl.load(x_ptr + start + place, mask=mask, other=-float("inf")).to(COMPUTE)
        grown = tl.maximum(largest, x)
        total = total * tl.exp(largest - grown) + tl.exp(x - grown)
        largest = grown
    row_largest = tl.max(largest, axis=0)[None, :]
    row_total = tl.sum(total * tl.exp(largest - row_largest), axis=0)[None, :]
    for first in range(0, n, BLOCK_N):
        mask = (first + k < n)[:, None] & (i < inner)[None, :]
        place = (first + k).to(tl.int64)[:, None] * inner + i[None, :]
        x = tl.load(x_ptr + start + place, mask=mask, other=0.0).to(COMPUTE)
        tl.store(out_ptr + start + place, (tl.exp(x - row_largest) / row_total).to(out_ptr.dtype.element_ty), mask=mask)


def forward(x, dim):
    x, dim, order = in_memory_order(x, dim)
    out = torch.empty_like(x)
    outer, n, inner = split(x.shape, dim)
    if out.numel():
        block_i = min(triton.next_power_of_2(inner), 32)
        block_n = min(triton.next_power_of_2(n), 4096 // block_i)
        softmax_kernel[(outer * triton.cdiv(inner, block_i),)](
            x, out, n, inner, COMPUTE=accumulator(x.dtype), BLOCK_N=block_n, BLOCK_I=block_i, num_warps=8 if block_n * block_i > 2048 else 4)
    return (restore(out, order),)


def triton_softmax(input, dim, *, dtype=None):
    """As torch.softmax."""
    return differentiable(Softmax, forward, *prepare(input, dim, dtype))
