"""v1_baseline: one program per row, the whole row in one tile.

A direct translation of the definition: read the row, subtract its maximum, exponentiate, divide by the sum. The elements of a
row are `inner` apart if the dimension is not the last one, so that most of each memory transaction is wasted. A row must fit
into one tile: 131,072 elements at most.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import Softmax, prepare, split


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n, inner, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, BLOCK)
    mask = k < n
    place = row // inner * n * inner + row % inner + k.to(tl.int64) * inner
    x = tl.load(x_ptr + place, mask=mask, other=-float("inf")).to(COMPUTE)
    power = tl.exp(x - tl.max(x, axis=0))
    y = power / tl.sum(power, axis=0)
    tl.store(out_ptr + place, y.to(out_ptr.dtype.element_ty), mask=mask)


def forward(x, dim):
    x = x.contiguous()
    out = torch.empty_like(x)
    outer, n, inner = split(x.shape, dim)
    if n > 131072:
        raise NotImplementedError(f"softmax v1_baseline: a row has at most 131072 elements, got {n}")
    if out.numel():
        softmax_kernel[(outer * inner,)](x, out, n, inner, COMPUTE=accumulator(x.dtype), BLOCK=triton.next_power_of_2(n))
    return (out,)


def triton_softmax(input, dim, *, dtype=None):
    """As torch.softmax."""
    return differentiable(Softmax, forward, *prepare(input, dim, dtype))
