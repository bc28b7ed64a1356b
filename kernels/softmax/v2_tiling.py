"""v2_tiling: several rows per program, a row in tiles, sizes chosen by measuring.

Each lane keeps its running maximum and its running sum, rescaled whenever the maximum grows (online softmax), so that a row
of any length passes in two readings. Rows are still walked with the stride `inner`.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import Softmax, prepare, split

CONFIGS = [triton.Config({"ROWS": r, "COLS": c}, num_warps=w)
           for r, c, w in ((4, 256, 4), (1, 1024, 4), (1, 4096, 8), (1, 8192, 16), (16, 128, 4))]


@triton.autotune(configs=CONFIGS, key=["n", "inner"])
@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_rows, n, inner, COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    base = (row // inner * n * inner + row % inner)[:, None]
    cols = tl.arange(0, COLS)
    # The maximum starts at a finite number, since (-inf) - (-inf) is not 0.
    largest = tl.full((ROWS, COLS), -1.0e38, COMPUTE)
    total = tl.zeros((ROWS, COLS), COMPUTE)
    for first in range(0, n, COLS):
        mask = (row < n_rows)[:, None] & (first + cols < n)[None, :]
        x = tl.load(x_ptr + base + (first + cols).to(tl.int64)[None, :] * inner, mask=mask, other=-float("inf")).to(COMPUTE)
        grown = tl.maximum(largest, x)
        total = total * tl.exp(largest - grown) + tl.exp(x - grown)
        largest = grown
    row_largest = tl.max(largest, axis=1)[:, None]
    row_total = tl.sum(total * tl.exp(largest - row_largest), axis=1)[:, None]
    for first in range(0, n, COLS):
        mask = (row < n_rows)[:, None] & (first + cols < n)[None, :]
        place = base + (first + cols).to(tl.int64)[None, :] * inner
        x = tl.load(x_ptr + place, mask=mask, other=0.0).to(COMPUTE)
        tl.store(out_ptr + place, (tl.exp(x - row_largest) / row_total).to(out_ptr.dtype.element_ty), mask=mask)


def forward(x, dim):
    x = x.contiguous()
    out = torch.empty_like(x)
    outer, n, inner = split(x.shape, dim)
    if out.numel():
        rows = outer * inner
        softmax_kernel[lambda meta: (triton.cdiv(rows, meta["ROWS"]),)](x, out, rows, n, inner, COMPUTE=accumulator(x.dtype))
    return (out,)


def triton_softmax(input, dim, *, dtype=None):
    """As torch.softmax."""
    return differentiable(Softmax, forward, *prepare(input, dim, dtype))
