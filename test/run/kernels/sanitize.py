"""Kernels with one mistake each, and without: what `tessera run --sanitize` must and must not say."""
import triton
import triton.language as tl


# signature: *fp32,*fp32,*fp32,i32,128
@triton.jit
def add_right(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


# signature: *fp32,*fp32,i32,128
@triton.jit
def off_by_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets <= n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x, mask=offsets < n)


# signature: *fp32,*fp32,i32,128
@triton.jit
def missing_mask(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x)


# signature: *fp32,*fp32,i32,i32,i32,16,32
@triton.jit
def wrong_stride(x_ptr, out_ptr, rows, columns, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    mask = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + row[:, None] * stride + column[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + row[:, None] * columns + column[None, :], x, mask=mask)


# signature: *i8,*i8,i32,128
@triton.jit
def overflow(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = row * stride
    offsets = start + tl.arange(0, BLOCK)
    tl.store(out_ptr + row * BLOCK + tl.arange(0, BLOCK), tl.load(x_ptr + offsets))


# signature: *i8,*i8,i32,2,16
@triton.jit
def overflow_in_block(x_ptr, out_ptr, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    columns = tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + (rows * stride + columns))
    tl.store(out_ptr + rows * COLUMNS + columns, x)


# signature: *fp32,*fp32,i32,128
@triton.jit
def race(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * (BLOCK // 2) + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


# signature: *fp32
@triton.jit
def everybody_writes_one(out_ptr):
    tl.store(out_ptr, tl.program_id(0).to(tl.float32))


# signature: *fp32,i32,128
@triton.jit
def shift_in_place(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets + 1, mask=offsets + 1 < n, other=0.0)
    tl.store(x_ptr + offsets, x, mask=offsets < n)


# signature: *fp32,*fp32,i32,128
@triton.jit
def reads_what_nobody_wrote(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(out_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total + tl.load(x_ptr + offsets, mask=mask), mask=mask)


# signature: *fp32,*fp32,i32,128
@triton.jit
def writes_then_reads(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    tl.store(out_ptr + offsets, 2 * tl.load(out_ptr + offsets, mask=mask), mask=mask)


# signature: *fp32,*fp32,i32
@triton.jit
def scalars(x_ptr, out_ptr, n):
    total = 0.0
    for i in range(n + 1):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr + tl.program_id(0), total)


# signature: *fp32,i32,128
@triton.jit
def atomic_outside(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + offsets, 1.0)


# signature: *i32,i32
@triton.jit
def cas_outside(lock_ptr, at):
    tl.atomic_cas(lock_ptr + at, 0, 1)


# signature: *fp32,*fp32,*i32,128
@triton.jit
def locked_sum(x_ptr, out_ptr, lock_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + offsets)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr + offsets, tl.load(out_ptr + offsets) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


# signature: *fp32,*fp32,i32,i32,32
@triton.jit
def advance_too_far(x_ptr, out_ptr, columns, steps, BLOCK: tl.constexpr):
    pointers = x_ptr + tl.program_id(0) * columns + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for _ in range(steps):
        total += tl.load(pointers)
        pointers += BLOCK
    tl.store(out_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), total)


# signature: *fp32,*fp32,i32,i32,16,32,1
@triton.jit
def block_pointer(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CHECK: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (tl.program_id(0) * ROWS, 0),
                               (ROWS, COLUMNS), (1, 0))
    x = tl.load(source, boundary_check=(0, 1)) if CHECK else tl.load(source)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + row * columns + column, x, mask=(row < rows) & (column < columns))


# signature: *fp32,*fp32,*fp32,i32,64
@triton.jit
def either(x_ptr, y_ptr, out_ptr, which, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    source = x_ptr if which > 0 else y_ptr
    tl.store(out_ptr + offsets, tl.load(source + offsets))


@triton.jit
def read_at(pointer, offsets):
    return tl.load(pointer + offsets)


# signature: *fp32,*fp32,64
@triton.jit
def in_a_function(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, read_at(x_ptr, offsets + 1))


# signature: *fp32,*fp32,8
@triton.jit
def many_mistakes(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = tl.load(x_ptr + offsets)
    total += tl.load(x_ptr + offsets + 1)
    total += tl.load(x_ptr + offsets + 2)
    total += tl.load(x_ptr + offsets + 3)
    total += tl.load(x_ptr + offsets + 4)
    total += tl.load(x_ptr + offsets + 5)
    total += tl.load(x_ptr + offsets + 6)
    total += tl.load(x_ptr + offsets + 7)
    total += tl.load(x_ptr + offsets + 8)
    total += tl.load(x_ptr + offsets + 9)
    total += tl.load(x_ptr + offsets + 10)
    total += tl.load(x_ptr + offsets + 11)
    tl.store(out_ptr + offsets, total)


# signature: *fp32,*fp32,8
@triton.jit
def asserts(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + 1 + tl.arange(0, BLOCK))
    tl.device_assert(x == x, "not a number")
    tl.device_assert(x > 0, "positive")
    tl.store(out_ptr + tl.arange(0, BLOCK), x)


# signature: *i8,*i32,i32,i32,64
@triton.jit
def overflow_in_loop(x_ptr, out_ptr, stride, steps, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.int32)
    for _ in range(steps):
        total += tl.load(x_ptr + offsets)
        offsets += stride
    tl.store(out_ptr + tl.arange(0, BLOCK), total)
