"""v3_coalesced: any layout is read and written in the order of memory.

The result gets the layout of the input (dense), and dimensions that both can walk with one stride are merged: a transposed
matrix is one long vector, read in 16-byte accesses, instead of a copy and a vector. A tensor with gaps is read where it is, as
rows and columns. Tile sizes are fixed.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, collapse
from .arguments import prepare


@triton.jit
def gelu(x, TANH: tl.constexpr):
    if TANH:
        inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + (1 - 2 / (tl.exp(2 * inner) + 1)))
    else:
        return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def flat_kernel(x_ptr, out_ptr, n, TANH: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * BLOCK
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n - start
    x = tl.load(x_ptr + start + offsets, mask=mask).to(COMPUTE)
    tl.store(out_ptr + start + offsets, gelu(x, TANH).to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def rows_kernel(x_ptr, out_ptr, n_rows, n_cols, x_row, x_col, out_row, out_col,
                TANH: tl.constexpr, COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    tiles = tl.cdiv(n_cols, COLS)
    rows = (tl.program_id(0) // tiles).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    cols = (tl.program_id(0) % tiles).to(tl.int64) * COLS + tl.arange(0, COLS)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + (rows * x_row)[:, None] + (cols * x_col)[None, :], mask=mask).to(COMPUTE)
    y = gelu(x, TANH).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + (rows * out_row)[:, None] + (cols * out_col)[None, :], y, mask=mask)


def triton_gelu(input, *, approximate="none"):
    """As torch.nn.functional.gelu."""
    x, tanh = prepare(input, approximate)
    out = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return out
    sizes, (a, b) = ([n], ([1], [1])) if x.is_contiguous() else collapse(x.shape, x.stride(), out.stride())
    if len(sizes) > 2 or 0 in a:
        x, out = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
        sizes, a, b = [n], [1], [1]
    compute = accumulator(x.dtype)
    if (a, b) == ([1], [1]):
        flat_kernel[(triton.cdiv(n, 1024),)](x, out, n, TANH=tanh, COMPUTE=compute, BLOCK=1024)
    else:
        rows, a, b = (1, [0] + a, [0] + b) if len(sizes) == 1 else (sizes[0], a, b)
        rows_kernel[(triton.cdiv(rows, 4) * triton.cdiv(sizes[-1], 256),)](
            x, out, rows, sizes[-1], *a, *b, TANH=tanh, COMPUTE=compute, ROWS=4, COLS=256)
    return out
