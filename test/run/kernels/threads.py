"""Kernels of many programs, for any number of threads: what they leave does not depend on who ran when."""
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,256
@triton.jit
def norms(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Work of very different length from program to program, with a tile that a loop carries."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    y = x
    for _ in range(row % 37):
        y = y * 0.5 + tl.sqrt(tl.sum(y * y, 0)) * 0.03125
    tl.store(out_ptr + row * n + i, y + tl.exp(-tl.abs(x)), mask=i < n)


# signature: *i32,*i32,*i64,*fp32,i32,64
@triton.jit
def totals(x_ptr, counts_ptr, total_ptr, highest_ptr, n, BLOCK: tl.constexpr):
    """All programs meet at a few addresses; the operations commute, so the result is one."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.atomic_add(counts_ptr + x % 16, 1, mask=i < n)
    tl.atomic_add(total_ptr, tl.sum(x.to(tl.int64), 0))
    tl.atomic_max(highest_ptr, tl.max(x, 0).to(tl.float32))
    tl.atomic_xor(counts_ptr + 16, tl.xor_sum(x, 0))


# signature: *i32,*i32,i32
@triton.jit
def tickets(counter_ptr, out_ptr, n):
    """Each program takes one number; none is given twice."""
    ticket = tl.atomic_add(counter_ptr, 1)
    tl.store(out_ptr + tl.program_id(0), ticket, mask=ticket < n)


# signature: *i32,*i32,*i32,i32
@triton.jit
def locked(lock_ptr, value_ptr, out_ptr, n):
    """A critical section: a lock that is taken by compare-and-swap and given back by an exchange."""
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    value = tl.load(value_ptr)
    tl.store(out_ptr + value % n, value)
    tl.store(value_ptr, value + 1)
    tl.atomic_xchg(lock_ptr, 0)


# signature: *fp32,*fp32,*fp32,i32,32
@triton.jit
def products(a_ptr, b_ptr, out_ptr, k, SIZE: tl.constexpr):
    """One tile of a product a program, its operands read by all."""
    i = tl.arange(0, SIZE)
    row = tl.program_id(0) * SIZE + i
    column = tl.program_id(1) * SIZE + i
    acc = tl.zeros((SIZE, SIZE), tl.float32)
    for first in range(0, k, SIZE):
        a = tl.load(a_ptr + row[:, None] * k + first + i[None, :])
        b = tl.load(b_ptr + (first + i)[:, None] * (tl.num_programs(1) * SIZE) + column[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(out_ptr + row[:, None] * (tl.num_programs(1) * SIZE) + column[None, :], acc)
