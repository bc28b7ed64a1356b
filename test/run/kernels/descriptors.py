"""Kernels on tensor descriptors."""
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,i32,8,16
@triton.jit
def copy_tiles(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    out = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    row = tl.program_id(0) * ROWS
    column = tl.program_id(1) * COLUMNS
    out.store([row, column], x.load([row, column]) * 2)


# signature: *fp32,*fp32,*i32,i32,i32,8,16
@triton.jit
def gather_and_scatter(x_ptr, out_ptr, rows_ptr, rows, columns, COUNT: tl.constexpr, WIDTH: tl.constexpr):
    """Rows of one matrix, in the order of a list, into the rows of another, reversed."""
    x = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [1, WIDTH])
    out = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [1, WIDTH])
    i = tl.arange(0, COUNT)
    wanted = tl.load(rows_ptr + i)
    for first in range(0, columns, WIDTH):
        out.scatter(x.gather(wanted, first), COUNT - 1 - i, first)


# signature: *i32,*i32,i32,i32,8,16,0
@triton.jit
def combine_tiles(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr, OP: tl.constexpr):
    """All programs combine their tile into the same place, atomically."""
    x = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    out = tl.make_tensor_descriptor(out_ptr, [ROWS - 1, columns], [columns, 1], [ROWS, COLUMNS])
    tile = x.load([tl.program_id(0) * ROWS, 0])
    if OP == 0:
        out.atomic_add([0, 0], tile)
    elif OP == 1:
        out.atomic_max([0, 0], tile)
    elif OP == 2:
        out.atomic_min([0, 0], tile)
    elif OP == 3:
        out.atomic_and([0, 0], tile)
    elif OP == 4:
        out.atomic_or([0, 0], tile)
    else:
        out.atomic_xor([0, 0], tile)


@triton.jit
def load_twice(descriptor, row, column):
    """A descriptor is a value: functions take it."""
    return descriptor.load([row, column]) + tl.load_tensor_descriptor(descriptor, [row, column])


# signature: *fp32,*fp32,i32,i32,8,16
@triton.jit
def passed_on(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Descriptors through a call and a loop that replaces one."""
    x = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for step in range(3):
        total += load_twice(x, step, 0)
        x = tl.make_tensor_descriptor(x_ptr, [rows - step, columns], [columns, 1], [ROWS, COLUMNS])
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + at, total)
