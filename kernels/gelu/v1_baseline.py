"""v1_baseline: one program computes 1024 elements of a contiguous tensor.

A direct translation of the definition, with the library's erf and, for tanh, the exponential function.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import prepare


@triton.jit
def gelu_kernel(x_ptr, out_ptr, n, TANH: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(COMPUTE)
    if TANH:
        inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        y = 0.5 * x * (1 + (1 - 2 / (tl.exp(2 * inner) + 1)))
    else:
        y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    tl.store(out_ptr + offsets, y.to(out_ptr.dtype.element_ty), mask=mask)


def triton_gelu(input, *, approximate="none"):
    """As torch.nn.functional.gelu."""
    x, tanh = prepare(input, approximate)
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        gelu_kernel[(triton.cdiv(n, 1024),)](x, out, n, TANH=tanh, COMPUTE=accumulator(x.dtype), BLOCK=1024)
    return out
