"""Kernels of one idea each. Every one takes n elements in blocks of BLOCK, masked at the end."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


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


# signature: *i32,*i32,*i32,i32,i32,512
@triton.jit
def divide_in_loop(x_ptr, quotient_ptr, remainder_ptr, divisor, n, BLOCK: tl.constexpr):
    # What is divided by does not change: a target may prepare for it.
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n)
        tl.store(quotient_ptr + i, x // divisor, mask=i < n)
        tl.store(remainder_ptr + i, x % divisor, mask=i < n)


# signature: *i32,*i32,*i32,i32,i32,i32,512
@triton.jit
def divide_in_inner_loop(x_ptr, quotient_ptr, remainder_ptr, divisor, rounds, n, BLOCK: tl.constexpr):
    # What the inner loop divides by is itself a quotient, another one in each round of the outer loop.
    for k in range(rounds):
        inner = 1000 * (k + 1) // divisor
        rest = (k + 5) % divisor + (k + 9) // divisor + (k + 11) % divisor + (k + 13) // divisor
        for first in range(0, n, BLOCK):
            i = first + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + i, mask=i < n)
            tl.store(quotient_ptr + k * n + i, x // inner + rest, mask=i < n)
            tl.store(remainder_ptr + k * n + i, x % inner, mask=i < n)


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


# signature: *u8,*u8,*u8,*u8,*u8,*u8,i32,1,128
@triton.jit
def arithmetic_of_bytes(x_ptr, y_ptr, sum_ptr, difference_ptr, product_ptr, quotient_ptr, n, FP8: tl.constexpr,
                        BLOCK: tl.constexpr):
    # + - * / of 8-bit floats, which travel as bytes.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    if FP8 == 1:
        x, y = x.to(tl.float8e5, bitcast=True), y.to(tl.float8e5, bitcast=True)
    elif FP8 == 2:
        x, y = x.to(tl.float8e4nv, bitcast=True), y.to(tl.float8e4nv, bitcast=True)
    elif FP8 == 3:
        x, y = x.to(tl.float8e4b8, bitcast=True), y.to(tl.float8e4b8, bitcast=True)
    else:
        x, y = x.to(tl.float8e5b16, bitcast=True), y.to(tl.float8e5b16, bitcast=True)
    tl.store(sum_ptr + i, (x + y).to(x.dtype).to(tl.uint8, bitcast=True), mask=mask)
    tl.store(difference_ptr + i, (x - y).to(x.dtype).to(tl.uint8, bitcast=True), mask=mask)
    tl.store(product_ptr + i, (x * y).to(x.dtype).to(tl.uint8, bitcast=True), mask=mask)
    tl.store(quotient_ptr + i, (x / y).to(x.dtype).to(tl.uint8, bitcast=True), mask=mask)


# signature: *fp16,*fp16,*fp16,*fp16,*fp16,*fp16,i32,128
@triton.jit
def arithmetic(x_ptr, y_ptr, sum_ptr, difference_ptr, product_ptr, quotient_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(sum_ptr + i, x + y, mask=mask)
    tl.store(difference_ptr + i, x - y, mask=mask)
    tl.store(product_ptr + i, x * y, mask=mask)
    tl.store(quotient_ptr + i, x / y, mask=mask)


# signature: *fp16,*fp16,*fp16,*fp16,i32,128
@triton.jit
def signs(x_ptr, negative_ptr, absolute_ptr, larger_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    tl.store(negative_ptr + i, -x, mask=mask)
    tl.store(absolute_ptr + i, tl.abs(x), mask=mask)
    tl.store(larger_ptr + i, tl.maximum(x, tl.abs(x), propagate_nan=tl.PropagateNan.ALL), mask=mask)


# signature: *i32,*i32,*i32,*i32,i32,128
@triton.jit
def shifts(x_ptr, amount_ptr, left_ptr, right_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    amount = tl.load(amount_ptr + i, mask=mask)
    tl.store(left_ptr + i, x << amount, mask=mask)
    tl.store(right_ptr + i, x >> amount, mask=mask)


# signature: *fp32,*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,i32,128
@triton.jit
def rounded_once(x_ptr, y_ptr, z_ptr, fma_ptr, div_ptr, sqrt_ptr, floor_ptr, ceil_ptr, clamp_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    z = tl.load(z_ptr + i, mask=mask)
    tl.store(fma_ptr + i, tl.fma(x, y, z), mask=mask)
    tl.store(div_ptr + i, tl.div_rn(x, y), mask=mask)
    tl.store(sqrt_ptr + i, tl.sqrt_rn(x), mask=mask)
    tl.store(floor_ptr + i, tl.floor(x), mask=mask)
    tl.store(ceil_ptr + i, tl.ceil(x), mask=mask)
    tl.store(clamp_ptr + i, tl.clamp(x, -1.0, 1.5), mask=mask)


# signature: *fp32,*fp32,i32,128
@triton.jit
def functions(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Seven results an element, n apart.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    tl.store(out_ptr + i, tl.exp(x), mask=mask)
    tl.store(out_ptr + n + i, tl.exp2(x), mask=mask)
    tl.store(out_ptr + 2 * n + i, tl.log(x), mask=mask)
    tl.store(out_ptr + 3 * n + i, tl.log2(x), mask=mask)
    tl.store(out_ptr + 4 * n + i, tl.erf(x), mask=mask)
    tl.store(out_ptr + 5 * n + i, libdevice.tanh(x), mask=mask)
    tl.store(out_ptr + 6 * n + i, libdevice.pow(tl.abs(x), x), mask=mask)


# signature: *fp32,*fp32,i32
@triton.jit
def functions_of_scalars(x_ptr, out_ptr, n):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.exp(x))
    tl.store(out_ptr + n + i, tl.exp2(x))
    tl.store(out_ptr + 2 * n + i, tl.log(x))
    tl.store(out_ptr + 3 * n + i, tl.log2(x))
    tl.store(out_ptr + 4 * n + i, tl.erf(x))
    tl.store(out_ptr + 5 * n + i, libdevice.tanh(x))
    tl.store(out_ptr + 6 * n + i, libdevice.pow(tl.abs(x), x))


# signature: *fp32,*fp32,*fp32,i32,128
@triton.jit
def modulo(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask, other=1)
    tl.store(out_ptr + i, x % y, mask=mask)
