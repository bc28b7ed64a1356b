"""Kernels that walk through memory with block pointers."""
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,i32,16,32
@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """One tile a program: the same elements through two pointers of opposite orders."""
    row = tl.program_id(0) * ROWS
    column = tl.program_id(1) * COLUMNS
    x = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (row, column), (ROWS, COLUMNS), (1, 0))
    out = tl.make_block_ptr(out_ptr, (columns, rows), (rows, 1), (column, row), (COLUMNS, ROWS), (1, 0))
    tl.store(out, tl.load(x, boundary_check=(0, 1)).T, boundary_check=(0, 1))


# signature: *fp32,*fp32,i32,i32,8,16
@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A pointer that a loop carries, moved along a row."""
    row = tl.program_id(0) * ROWS
    x = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (row, 0), (ROWS, COLUMNS), (1, 0))
    total = tl.zeros((ROWS,), tl.float32)
    for _ in range(0, columns, COLUMNS):
        total += tl.sum(tl.load(x, boundary_check=(0, 1), padding_option="zero"), 1)
        x = tl.advance(x, (0, COLUMNS))
    out = tl.make_block_ptr(out_ptr, (rows,), (1,), (row,), (ROWS,), (0,))
    tl.store(out, total, boundary_check=(0,))


# signature: *i32,*i32,i32,16
@triton.jit
def back_and_forth(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Two pointers that meet: one from the front, one from the back, exchanged in a while loop."""
    low = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    high = tl.make_block_ptr(x_ptr, (n,), (1,), (n - BLOCK,), (BLOCK,), (0,))
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    left = n
    while left > 0:
        tl.store(out, tl.load(low, boundary_check=(0,), padding_option="zero")
                 - tl.load(high, boundary_check=(0,), padding_option="zero"), boundary_check=(0,))
        low = tl.advance(low, (BLOCK,))
        high = tl.advance(high, (-BLOCK,))
        out = tl.advance(out, (BLOCK,))
        left -= BLOCK


# signature: *fp32,*fp32,i32,i32,8,8
@triton.jit
def chosen_pointer(x_ptr, out_ptr, n, which, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A pointer of which a condition decides where it points."""
    p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (ROWS, COLUMNS), (1, 0))
    if which > 0:
        p = tl.advance(p, (1, which))
    else:
        p = tl.advance(p, (2, 0))
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + i, tl.load(p, boundary_check=(0, 1), padding_option="nan"))
