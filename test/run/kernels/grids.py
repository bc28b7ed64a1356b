"""Kernels that show which programs ran, and how often."""
import triton
import triton.language as tl


# signature: *i32,i32
@triton.jit
def visit(out_ptr, n):
    # Each program of a grid of up to three axes counts one cell up, and says where it stood.
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    cell = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out_ptr + cell, tl.load(out_ptr + cell) + 1000000 + x + 100 * y + 10000 * z, mask=cell < n)


# signature: *fp32,*fp32,*fp32,i32,i32,16,32
@triton.jit
def add_matrix(x_ptr, y_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    # One tile of a row-major matrix a program, on a two-dimensional grid.
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    at = i[:, None] * columns + j[None, :]
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    sum = tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask)
    tl.store(out_ptr + at, sum, mask=mask)


# signature: *fp32,*fp32,*fp32,i32,128
@triton.jit
def add_rows(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # The same vector add wherever the blocks lie on a grid of three axes.
    block = tl.program_id(0) + tl.num_programs(0) * (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
    i = block * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)
