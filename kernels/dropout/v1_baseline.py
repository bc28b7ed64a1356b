"""v1_baseline: one program computes 1024 elements; each computes its own four random numbers and uses one.

A direct translation: Philox makes four numbers from a counter, and four neighbouring elements share one. Here each of them runs the ten
rounds again, about 80 integer instructions per element, which takes longer than the memory needs.
"""
import torch
import triton
import triton.language as tl

from .arguments import apply, scale


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, factor, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    u0, u1, u2, u3 = tl.rand4x(seed, (offsets // 4).to(tl.int32))
    word = offsets % 4
    u = tl.where(word == 0, u0, tl.where(word == 1, u1, tl.where(word == 2, u2, u3)))
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, tl.where(u >= p, x * factor, 0.0).to(out_ptr.dtype.element_ty), mask=mask)


def forward(x, p, seed, out=None):
    out = torch.empty_like(x) if out is None else out
    n = x.numel()
    if n:
        dropout_kernel[(triton.cdiv(n, 1024),)](x, out, n, p, scale(p), seed, BLOCK=1024)
    return (out,)


def triton_dropout(input, p=0.5, training=True, inplace=False, *, seed=None):
    """As torch.nn.functional.dropout; `seed` fixes the mask."""
    return apply(forward, input, p, training, inplace, seed)
