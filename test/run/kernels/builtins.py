"""Kernels for the built-in functions whose values no other test sees."""
import triton
import triton.language as tl


# signature: *fp16,*i8,1024
@triton.jit
def to_fp8e4b15(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.float8e4b15).to(tl.int8, bitcast=True))


# signature: *i8,*fp16,256
@triton.jit
def from_fp8e4b15(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.float8e4b15, bitcast=True).to(tl.float16))


# signature: *fp32,*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,64
@triton.jit
def extrema(x_ptr, y_ptr, low_ptr, high_ptr, low_nan_ptr, high_nan_ptr, clamped_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(low_ptr + i, tl.minimum(x, y))
    tl.store(high_ptr + i, tl.maximum(x, y))
    tl.store(low_nan_ptr + i, tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(high_nan_ptr + i, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(clamped_ptr + i, tl.clamp(x, -1.0, 1.0))


# signature: *u32,*u32,*u32,256
@triton.jit
def high_product(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.umulhi(tl.load(x_ptr + i), tl.load(y_ptr + i)))


# signature: *i32,*i32,4,8
@triton.jit
def rearrange(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Five rearrangements of one matrix, each row-major after the other."""
    SIZE: tl.constexpr = ROWS * COLUMNS
    i = tl.arange(0, SIZE)
    x = tl.load(x_ptr + i).reshape(ROWS, COLUMNS)
    tl.store(out_ptr + i, x.T.reshape(SIZE))
    cube = x.reshape(ROWS, COLUMNS // 2, 2)
    tl.store(out_ptr + SIZE + i, cube.permute(2, 0, 1).reshape(SIZE))
    even, odd = cube.split()
    tl.store(out_ptr + 2 * SIZE + i, tl.join(odd, even).reshape(SIZE))
    wide = tl.broadcast_to(x.reshape(ROWS, 1, COLUMNS), (ROWS, 2, COLUMNS))
    tl.store(out_ptr + 3 * SIZE + tl.arange(0, 2 * SIZE), wide.reshape(2 * SIZE))


@triton.jit
def last_larger(value, index, other, other_index):
    takes_first = value > other
    return tl.where(takes_first, value, other), tl.where(takes_first, index, other_index)


@triton.jit
def affine(a, b, c, d):
    """x -> a x + b, then x -> c x + d: associative, not commutative."""
    return a * c, b * c + d


@triton.jit
def collatz_steps(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


# signature: *i32,*i32,*i32,*i32,*i32,*i32,*i32,4,8
@triton.jit
def combine(x_ptr, y_ptr, values_ptr, indices_ptr, slopes_ptr, offsets_ptr, back_ptr, ROWS: tl.constexpr,
            COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    value, index = tl.reduce((x, at), 1, last_larger)
    tl.store(values_ptr + tl.arange(0, ROWS), value)
    tl.store(indices_ptr + tl.arange(0, ROWS), index)
    slopes, offsets = tl.associative_scan((x, y), 1, affine)
    tl.store(slopes_ptr + at, slopes)
    tl.store(offsets_ptr + at, offsets)
    _, back = tl.associative_scan((x, y), 0, affine, reverse=True)
    tl.store(back_ptr + at, back)


# signature: *i32,*i32,*i32,*i32,*i32,64,16
@triton.jit
def count(x_ptr, counts_ptr, masked_ptr, taken_ptr, steps_ptr, SIZE: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, SIZE))
    tl.store(counts_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))
    tl.store(masked_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, mask=x % 2 == 0))
    tl.store(taken_ptr + tl.arange(0, SIZE), tl.gather(x, x, 0))
    tl.store(steps_ptr + tl.arange(0, SIZE), tl.map_elementwise(collatz_steps, x))
