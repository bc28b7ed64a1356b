"""Elementwise arithmetic that is made of simpler arithmetic."""
import triton
import triton.language as tl


# Tensor method.
@triton.jit
def cdiv(x, div):
    """x / div, rounded up for positive operands (the division truncates)."""
    return (x + (div - 1)) // div


# Tensor method.
@triton.jit
def sigmoid(x):
    """1 / (1 + exp(-x))"""
    return 1 / (1 + tl.exp(-x))


# Tensor method.
@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x) over its own sum along `dim` (the first axis by default).

    Subtracting the maximum keeps the exponentials within range. Without `keep_dims` the reduced
    values meet x by the ordinary broadcasting, which aligns them with x's last axis.
    """
    axis: tl.constexpr = 0 if dim is None else dim
    scaled = tl.exp(x - tl.max(x, axis, keep_dims=keep_dims))
    total = tl.sum(scaled, axis, keep_dims=keep_dims)
    return tl.fdiv(scaled, total, ieee_rounding)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Walks a size_i x size_j grid in column-major order within bands of size_g rows.

    (i, j) counts the visits in row-major order; the result is the cell to visit. A band's inputs
    are then read again soon, while a cache still holds them. 4 x 4 cells, bands of 2 rows:

        visit   0  1  2  3  4  5  6  7 ...
        cell   00 10 01 11 02 12 03 13 ...
    """
    visit = i * size_j + j
    band_cells = size_g * size_j
    first_row = visit // band_cells * size_g
    band_rows = tl.minimum(size_i - first_row, size_g)  # the last band may be thinner
    cell = visit % band_cells
    return first_row + cell % band_rows, cell // band_rows
