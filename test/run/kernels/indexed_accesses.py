"""Accesses whose addresses come from memory: gathers and scatters, which processors have for four and eight bytes only."""
import triton
import triton.language as tl


# signature: *fp16,*i32,*fp16,i32,64
# signature: *i8,*i32,*i8,i32,256
@triton.jit
def indexed_load(x_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """y[i] = x[index[i]] where the index is below n, else 1."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i)
    tl.store(y_ptr + i, tl.load(x_ptr + index, mask=index < n, other=1))


# signature: *fp16,*i32,*fp16,64
@triton.jit
def indexed_load_of_all(x_ptr, index_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + tl.load(index_ptr + i)))


# signature: *fp16,*i32,*fp16,i32,64
# signature: *i8,*i32,*i8,i32,256
@triton.jit
def indexed_store(x_ptr, index_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """y[index[i]] = x[i] where the index is below n."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i)
    tl.store(y_ptr + index, tl.load(x_ptr + i), mask=index < n)


# signature: *i32,*i32,*i32,i32,i32,16,8
@triton.jit
def scattered_matrix(x_ptr, y_ptr, sums_ptr, height, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    # Nothing is known of neighbours: each place is computed on its own.
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + row * 7 % height * 13 + column * 5 % width, mask=(row + column) % 3 != 0, other=-5)
    tl.store(y_ptr + row * COLUMNS + column, x)
    tl.atomic_add(sums_ptr + row % height * 16 + column % width, x)


# signature: *i32,*i32,*i32,i32,i32,4,8,2
@triton.jit
def scattered_cube(x_ptr, y_ptr, sums_ptr, height, width, LAYERS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    layer, row = tl.arange(0, LAYERS)[:, None, None], tl.arange(0, ROWS)[None, :, None]
    column = tl.arange(0, COLUMNS)[None, None, :]
    x = tl.load(x_ptr + (layer + row * 7) % height * 13 + column * 5 % width, mask=(layer + row + column) % 3 != 0, other=-5)
    tl.store(y_ptr + (layer * ROWS + row) * COLUMNS + column, x)
    tl.atomic_add(sums_ptr + (layer + row) % height * 16 + column % width, x)
