"""Kernels at the edges: empty masks, odd sizes, huge grids and offsets, special values."""
import triton
import triton.language as tl


# signature: *fp32,*fp32,*i32,i32,i32,64
@triton.jit
def everything_masked(x_ptr, out_ptr, index_ptr, low, high, BLOCK: tl.constexpr):
    """Loads, a gather, a reduction and stores, of which the mask leaves low <= i < high."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (i >= low) & (i < high)
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    index = tl.load(index_ptr + i, mask=mask, other=0)
    y = tl.load(x_ptr + index, mask=mask, other=0.0)
    total = tl.sum(x, 0)
    tl.store(out_ptr + i, x + y + total, mask=mask)


# signature: *i32,*i32,i32,i32,8,16
@triton.jit
def rectangle(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A tile of a matrix, rows backwards, columns strided; out of a matrix that is cut at both ends."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (i < rows) & (j < columns)
    x = tl.load(x_ptr + (rows - 1 - i) * columns * 2 + j * 2, mask=mask, other=0)
    tl.store(out_ptr + i * columns + j, x * 3 + i - j, mask=mask)


# signature: *i32,*i32,i32,64,0
@triton.jit
def masks_of_all_kinds(x_ptr, out_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    if KIND == 0:
        mask = i < n
    elif KIND == 1:
        mask = i >= n
    elif KIND == 2:
        mask = (i < n) & (i % 3 == 1)
    elif KIND == 3:
        mask = x > 0
    elif KIND == 4:
        mask = (i < n) | (i >= BLOCK - 3)
    elif KIND == 5:
        mask = n > i
    elif KIND == 6:
        mask = i.to(tl.int64) < n
    elif KIND == 7:
        mask = i.to(tl.uint32) < n.to(tl.uint32)
    elif KIND == 8:
        mask = i == n
    elif KIND == 9:
        mask = ~(i < n)
    elif KIND == 10:
        mask = i * 2 + 1 <= n
    elif KIND == 11:
        mask = BLOCK - i > n
    elif KIND == 12:
        mask = (i + n) < BLOCK
    else:
        mask = (i // 8 < n) & (i % 8 < n)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask, other=-1), mask=mask | (i % 7 == 0))


# signature: *i64
@triton.jit
def last_program(out_ptr):
    """Of a huge grid only the last program does something."""
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    if (x < tl.num_programs(0) - 1) | (y < tl.num_programs(1) - 1) | (z < tl.num_programs(2) - 1):
        return
    tl.store(out_ptr, x.to(tl.int64))
    tl.store(out_ptr + 1, y.to(tl.int64))
    tl.store(out_ptr + 2, z.to(tl.int64))


# signature: *i8,*i8,i64,i64,4,16
@triton.jit
def far_rows(x_ptr, out_ptr, first, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Rows whose distance does not fit 32 bits."""
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    at = first + i * stride + j
    tl.store(out_ptr + at, tl.load(x_ptr + at) + 1)


# signature: *i8,*i8,i32,16
@triton.jit
def far_by_program(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    """The usual cast of the program's number, before the multiplication."""
    at = tl.program_id(0).to(tl.int64) * stride + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 2)


# signature: *i32,*i32,i32,16
@triton.jit
def negative_offsets(x_ptr, out_ptr, back, BLOCK: tl.constexpr):
    """32-bit offsets that wrap around lead backwards."""
    i = tl.arange(0, BLOCK)
    at = (i + 2147483647) - back + 2147483647 + 2
    tl.store(out_ptr + i, tl.load(x_ptr + at))


# signature: *i32,i1,i8,u8,i16,u16,i32,u32,i64,u64
@triton.jit
def scalar_types(out_ptr, a, b, c, d, e, f, g, h, k):
    tl.store(out_ptr + 0, a.to(tl.int32))
    tl.store(out_ptr + 1, b.to(tl.int32))
    tl.store(out_ptr + 2, c.to(tl.int32))
    tl.store(out_ptr + 3, d.to(tl.int32))
    tl.store(out_ptr + 4, e.to(tl.int32))
    tl.store(out_ptr + 5, f)
    tl.store(out_ptr + 6, (g >> 1).to(tl.int32))
    tl.store(out_ptr + 7, (h >> 32).to(tl.int32))
    tl.store(out_ptr + 8, (k >> 33).to(tl.int32))


# signature: *fp32,fp16,bf16,fp32,fp64
@triton.jit
def float_scalars(out_ptr, a, b, c, d):
    tl.store(out_ptr + 0, a.to(tl.float32))
    tl.store(out_ptr + 1, b.to(tl.float32))
    tl.store(out_ptr + 2, c)
    tl.store(out_ptr + 3, d.to(tl.float32))


@triton.jit
def nothing():
    pass


# signature: *i32,*i32,*i32,64
@triton.jit
def undefined_arithmetic(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    """What the language leaves open does not end the process."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, x // y)
    tl.store(out_ptr + BLOCK + i, x % y)
    tl.store(out_ptr + 2 * BLOCK + i, x << y)
    tl.store(out_ptr + 3 * BLOCK + i, x >> y)


# signature: *fp32,*fp32,256
@triton.jit
def small_numbers(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Results below the smallest normal number, after functions that might switch such results off."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x * 0.5)
    tl.store(out_ptr + BLOCK + i, tl.exp(x) * 0 + x + x)
    tl.store(out_ptr + 2 * BLOCK + i, -x)
    tl.store(out_ptr + 3 * BLOCK + i, tl.abs(x))
    tl.store(out_ptr + 4 * BLOCK + i, x - x)
    tl.store(out_ptr + 5 * BLOCK + i, tl.where(x == 0, x, 0.0 - x))


# signature: *i32,*i32,1048576
@triton.jit
def largest_block(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """As many elements as a tile can have: whole, reversed, and reduced."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    total = tl.sum(x, 0)
    tl.store(out_ptr + BLOCK - 1 - i, x ^ total)
    rows = tl.sum(tl.reshape(x, 1024, BLOCK // 1024), 1)
    tl.store(out_ptr + BLOCK + tl.arange(0, 1024), rows)
