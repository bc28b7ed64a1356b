"""v3_coalesced: a tile of counters times four elements, read and written in contiguous pieces; each counter is used once.

Row c of the tile is the four elements of counter c, so that a thread has four neighbouring elements, moves them in one access, and runs
Philox once for them: a quarter of v1's arithmetic. Tile sizes are fixed.
"""
import torch
import triton
import triton.language as tl

from .arguments import apply, scale


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, factor, seed, COUNTERS: tl.constexpr):
    counter = tl.program_id(0) * COUNTERS + tl.arange(0, COUNTERS)
    u0, u1, u2, u3 = tl.rand4x(seed, counter)
    word = tl.arange(0, 4)[None, :]
    u = tl.where(word == 0, u0[:, None], tl.where(word == 1, u1[:, None], tl.where(word == 2, u2[:, None], u3[:, None])))
    at = counter.to(tl.int64)[:, None] * 4 + word
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, tl.where(u >= p, x * factor, 0.0).to(out_ptr.dtype.element_ty), mask=at < n)


def forward(x, p, seed, out=None):
    out = torch.empty_like(x) if out is None else out
    n = x.numel()
    if n:
        dropout_kernel[(triton.cdiv(n, 1024),)](x, out, n, p, scale(p), seed, COUNTERS=256)
    return (out,)


def triton_dropout(input, p=0.5, training=True, inplace=False, *, seed=None):
    """As torch.nn.functional.dropout; `seed` fixes the mask."""
    return apply(forward, input, p, training, inplace, seed)
