"""Kernels that print and assert. Line numbers are part of what the tests expect: see the marks."""
import triton
import triton.language as tl


# signature: *fp32,i32,4
@triton.jit
def print_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + i)
    tl.device_print("hello")
    tl.device_print("n", n)
    tl.device_print("x", x)
    tl.device_print("both 100%d: ", i, n)
    tl.device_print("table", i[:, None] * 100 + tl.arange(0, 16)[None, :] * 1)
    print("one", tl.arange(0, 1), n > 0)


# signature: *i32,32
@triton.jit
def print_lines(x_ptr, BLOCK: tl.constexpr):
    tl.device_print("a rather long prefix, so that lines that are written in pieces would show", tl.load(x_ptr + tl.arange(0, BLOCK)))


# signature: *i32,i32,8,16
@triton.jit
def assert_kernel(x_ptr, n, M: tl.constexpr, N: tl.constexpr):
    program = tl.program_id(0)
    x = tl.load(x_ptr + program * M * N + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.device_assert(n < 100, "n is small")  # mark: scalar
    tl.device_assert(x > 0, "x is 100% positive", mask=x != -7)  # mark: tensor
    tl.store(x_ptr + program * M * N, 5)
    check(n)  # mark: call


@triton.jit
def check(n):
    assert n != 50  # mark: function
