"""The standard library's elementwise functions, one kernel each; masked at n."""
import triton
import triton.language as tl


# signature: *i32,i32,i32,i32,10,128
@triton.jit
def random_words(out_ptr, seed, first, n, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, i + first, ROUNDS)
    tl.store(out_ptr + i * 4, a, mask=i < n)
    tl.store(out_ptr + i * 4 + 1, b, mask=i < n)
    tl.store(out_ptr + i * 4 + 2, c, mask=i < n)
    tl.store(out_ptr + i * 4 + 3, d, mask=i < n)


# signature: *i64,i64,i32,128
@triton.jit
def random_long_words(out_ptr, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = i.to(tl.uint64)
    a, b, c, d = tl.philox(seed, at, at + 1, at + 2, at + 3)
    tl.store(out_ptr + i * 4, a, mask=i < n)
    tl.store(out_ptr + i * 4 + 1, b, mask=i < n)
    tl.store(out_ptr + i * 4 + 2, c, mask=i < n)
    tl.store(out_ptr + i * 4 + 3, d, mask=i < n)


# signature: *fp32,i32,i32,128
@triton.jit
def random_uniform(out_ptr, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.rand(seed, i), mask=i < n)


# signature: *i32,*fp32,i32,128
@triton.jit
def uniform_of_words(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.uint_to_uniform_float(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


# signature: *fp32,i32,i32,128
@triton.jit
def random_normal(out_ptr, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randn4x(seed, i)
    tl.store(out_ptr + i * 4, a, mask=i < n)
    tl.store(out_ptr + i * 4 + 1, b, mask=i < n)
    tl.store(out_ptr + i * 4 + 2, c, mask=i < n)
    tl.store(out_ptr + i * 4 + 3, d, mask=i < n)


# signature: *i32,*i32,*i32,i32,128
@triton.jit
def ceiling_division(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    y = tl.load(y_ptr + i, mask=i < n, other=1)
    tl.store(out_ptr + i, tl.cdiv(x, y), mask=i < n)


# signature: *fp32,*fp32,i32,128
@triton.jit
def sigmoid(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x.sigmoid(), mask=i < n)


# signature: *i32,i32,i32,3
@triton.jit
def swizzled_grid(out_ptr, rows, columns, GROUP: tl.constexpr):
    # Which visit comes to each cell: program (i, j) is visit i * columns + j.
    i, j = tl.program_id(0), tl.program_id(1)
    row, column = tl.swizzle2d(i, j, rows, columns, GROUP)
    tl.store(out_ptr + row * columns + column, i * columns + j)


# signature: *fp16,*fp16,i32,128
@triton.jit
def fill_with_zeros(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.zeros_like(x) + tl.zeros([BLOCK], x.dtype), mask=i < n)
