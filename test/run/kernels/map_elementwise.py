"""Functions of scalars, with control flow of their own, for tl.map_elementwise."""
import triton
import triton.language as tl


@triton.jit
def collatz(n):
    """Steps to 1; as many for each element as it needs."""
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@triton.jit
def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@triton.jit
def minimum_and_maximum(a, b):
    if a < b:
        return a, b
    else:
        return b, a


@triton.jit
def power(x, n):
    result = 1
    for _ in range(n):
        result *= x
    return result


@triton.jit
def sort_pair(a, b):
    if a < b:
        return a, b
    return b, a


@triton.jit
def four_sums(a0, a1, a2, a3, b0, b1, b2, b3):
    """Running sums of four a, then of four b times two."""
    return a0, a0 + a1, a0 + a1 + a2, a0 + a1 + a2 + a3, b0 * 2, b1 * 2, b2 * 2, b3 * 2


# signature: *i32,*i32,i32,64
@triton.jit
def collatz_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1)
    tl.store(out_ptr + i, tl.map_elementwise(collatz, x), mask=i < n)


# signature: *fp32,*i32,64
@triton.jit
def sign_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.map_elementwise(sign, tl.load(x_ptr + i)))


# signature: *fp32,*fp32,*fp32,*fp32,16,8
@triton.jit
def order_kernel(a_ptr, b_ptr, low_ptr, high_ptr, M: tl.constexpr, N: tl.constexpr):
    """Of a row and a column, which are broadcast."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    low, high = tl.map_elementwise(minimum_and_maximum, tl.load(a_ptr + m), tl.load(b_ptr + n))
    tl.store(low_ptr + m * N + n, low)
    tl.store(high_ptr + m * N + n, high)


# signature: *i32,*i32,*i32,64
@triton.jit
def power_kernel(x_ptr, n_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.map_elementwise(power, tl.load(x_ptr + i), tl.load(n_ptr + i)))


# signature: *fp32,*fp32,64
@triton.jit
def sort_pairs_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    (sorted, ) = tl.map_elementwise(sort_pair, tl.load(x_ptr + i), pack=2)
    tl.store(out_ptr + i, sorted)


# signature: *i32,*i64,*i32,*i64,4,16
@triton.jit
def four_sums_kernel(a_ptr, b_ptr, a_out, b_out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.map_elementwise(four_sums, tl.load(a_ptr + at), tl.load(b_ptr + at), pack=4)
    tl.store(a_out + at, a)
    tl.store(b_out + at, b)
