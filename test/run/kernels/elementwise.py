"""Kernels of one idea each. Every one takes n elements in blocks of BLOCK, masked at the end."""
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,128
@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


# signature: *fp32,*fp32,i32,fp32,128
@triton.jit
def load_other(x_ptr, out_ptr, n, fill, BLOCK: tl.constexpr):
    # Reads n elements, writes whole blocks: what the load's mask leaves out becomes `fill`.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=fill))


# signature: *fp64,*fp64,fp32,i32,128
@triton.jit
def scale(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)


# signature: *u8,*u8,*u8,i32,128
@triton.jit
def subtract_multiply(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(out_ptr + i, (x - y) * y, mask=mask)


# signature: *bf16,*bf16,i32,128
@triton.jit
def relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(x > 0, x, 0), mask=i < n)


# signature: *fp16,*fp16,*fp16,*fp16,i32,128
@triton.jit
def clip(x_ptr, low_ptr, high_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.maximum(tl.load(x_ptr + i, mask=mask), tl.load(low_ptr + i, mask=mask))
    tl.store(out_ptr + i, tl.minimum(x, tl.load(high_ptr + i, mask=mask)), mask=mask)


# signature: *fp32,*i32,i32,128
@triton.jit
def cast(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # The store converts to what out_ptr points to.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


# signature: *i32,*i32,*i32,*i32,i32,128
@triton.jit
def divide(x_ptr, y_ptr, quotient_ptr, remainder_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask, other=1)
    tl.store(quotient_ptr + i, x // y, mask=mask)
    tl.store(remainder_ptr + i, x % y, mask=mask)


# signature: *u32,*u32,*u32,i32,128
@triton.jit
def bits(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(out_ptr + i, ((x & y) ^ (x | ~y)) + (x << 3) - (y >> 2), mask=mask)


# signature: *i64,*i64,*i32,i32,128
@triton.jit
def compare(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # One bit a comparison: < <= > >= == !=
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    result = tl.where(x < y, 1, 0) + tl.where(x <= y, 2, 0) + tl.where(x > y, 4, 0)
    result += tl.where(x >= y, 8, 0) + tl.where(x == y, 16, 0) + tl.where(x != y, 32, 0)
    tl.store(out_ptr + i, result, mask=mask)


# signature: *fp32,*fp32,i32,128
@triton.jit
def exponential(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.exp(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


# signature: *fp32,*fp32,i32,128
@triton.jit
def square_root(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.sqrt(tl.abs(tl.load(x_ptr + i, mask=i < n))), mask=i < n)


# signature: *fp32,*fp32,i32,2,1,128
@triton.jit
def power(x_ptr, out_ptr, n, POWER: tl.constexpr, SHIFTED: tl.constexpr, BLOCK: tl.constexpr):
    # Branches on constants are decided at compile time; only one side exists.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    if SHIFTED:
        x = x - 1.0
    if POWER == 0:
        x = tl.full((BLOCK,), 1.0, tl.float32)
    elif POWER == 2:
        x = x * x
    else:
        tl.static_assert(POWER == 1)
    tl.store(out_ptr + i, x, mask=i < n)
