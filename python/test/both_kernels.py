"""Kernels that test_against_triton.py runs under Triton and under Tessera: the same file, imported once for each."""
from typing import NamedTuple

import triton
import triton.language as tl


class Scales(NamedTuple):
    first: object
    second: object


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside, other=1)
    y = tl.load(y_ptr + i, mask=inside, other=1)
    if OP == "add":
        out = x + y
    elif OP == "sub":
        out = x - y
    elif OP == "mul":
        out = x * y
    elif OP == "floordiv":
        out = x // y
    elif OP == "mod":
        out = x % y
    elif OP == "and":
        out = x & y
    elif OP == "or":
        out = x | y
    elif OP == "xor":
        out = x ^ y
    elif OP == "shl":
        out = x << y
    elif OP == "shr":
        out = x >> y
    elif OP == "lt":
        out = x < y
    elif OP == "le":
        out = x <= y
    elif OP == "gt":
        out = x > y
    elif OP == "ge":
        out = x >= y
    elif OP == "eq":
        out = x == y
    elif OP == "ne":
        out = x != y
    elif OP == "minimum":
        out = tl.minimum(x, y)
    elif OP == "maximum":
        out = tl.maximum(x, y)
    elif OP == "minimum_nan":
        out = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "maximum_nan":
        out = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "where":
        out = tl.where(x < y, x, y)
    elif OP == "umulhi":
        out = tl.umulhi(x, y)
    elif OP == "cdiv":
        out = tl.cdiv(x, y)
    elif OP == "div_rn":
        out = tl.div_rn(x, y)
    elif OP == "fma":
        out = tl.fma(x, y, x)
    else:
        tl.static_assert(False, OP)
    tl.store(out_ptr + i, out, mask=inside)


@triton.jit
def unary(x_ptr, out_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside, other=1)
    if OP == "neg":
        out = -x
    elif OP == "invert":
        out = ~x
    elif OP == "abs":
        out = tl.abs(x)
    elif OP == "floor":
        out = tl.floor(x)
    elif OP == "ceil":
        out = tl.ceil(x)
    elif OP == "sqrt_rn":
        out = tl.sqrt_rn(x)
    else:
        tl.static_assert(False, OP)
    tl.store(out_ptr + i, out, mask=inside)


@triton.jit
def convert(x_ptr, out_ptr, n, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(out_ptr + i, x.to(out_ptr.dtype.element_ty, fp_downcast_rounding=ROUNDING), mask=inside)


@triton.jit
def masked(x_ptr, out_ptr, n, other, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    odd = (i % 3 != 0) & (i < n)
    x = tl.load(x_ptr + i * STRIDE, mask=odd, other=other)
    tl.store(out_ptr + i, x, mask=i < n - 1)


@triton.jit
def reduce_rows(x_ptr, out_ptr, index_ptr, OP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    x = tl.load(x_ptr + rows[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    if OP == "sum":
        out = tl.sum(x, axis=1)
    elif OP == "max":
        out = tl.max(x, axis=1)
    elif OP == "min":
        out = tl.min(x, axis=1)
    elif OP == "xor":
        out = tl.xor_sum(x, axis=1)
    elif OP == "max_with_index":
        out, index = tl.max(x, axis=1, return_indices=True)
        tl.store(index_ptr + rows, index)
    elif OP == "min_with_index":
        out, index = tl.min(x, axis=1, return_indices=True)
        tl.store(index_ptr + rows, index)
    elif OP == "argmax":
        out = tl.argmax(x, axis=1)
    else:
        tl.static_assert(False, OP)
    tl.store(out_ptr + rows, out)


@triton.jit
def scan_rows(x_ptr, out_ptr, OP: tl.constexpr, REVERSE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    place = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + place)
    if OP == "cumsum":
        out = tl.cumsum(x, axis=1, reverse=REVERSE)
    elif OP == "cumprod":
        out = tl.cumprod(x, axis=1, reverse=REVERSE)
    elif OP == "sort":
        out = tl.sort(x, descending=REVERSE)
    elif OP == "flip":
        out = tl.flip(x, dim=1)
    else:
        tl.static_assert(False, OP)
    tl.store(out_ptr + place, out)


@triton.jit
def top(x_ptr, out_ptr, K: tl.constexpr, COLUMNS: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, K), tl.topk(tl.load(x_ptr + tl.arange(0, COLUMNS)), K))


@triton.jit
def count(x_ptr, out_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, mask=i < n))


@triton.jit
def pick(x_ptr, index_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    place = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + place, tl.gather(tl.load(x_ptr + place), tl.load(index_ptr + place), axis=1))


@triton.jit
def random_words(out_ptr, seed, offset, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if KIND == "randint":
        out = tl.randint(seed, offset + i)
    elif KIND == "rand":
        out = tl.rand(seed, offset + i)
    elif KIND == "randn":
        out = tl.randn(seed, offset + i)
    else:
        a, b, c, d = tl.randint4x(seed, offset + i)
        out = a ^ (b + c) ^ d
    tl.store(out_ptr + i, out)


@triton.jit
def atomics(out_ptr, x_ptr, index_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    target = out_ptr + tl.load(index_ptr + i, mask=inside, other=0)
    x = tl.load(x_ptr + i, mask=inside, other=0)
    if OP == "add":
        tl.atomic_add(target, x, mask=inside)
    elif OP == "max":
        tl.atomic_max(target, x, mask=inside)
    elif OP == "min":
        tl.atomic_min(target, x, mask=inside)
    elif OP == "and":
        tl.atomic_and(target, x, mask=inside)
    elif OP == "or":
        tl.atomic_or(target, x, mask=inside)
    elif OP == "xor":
        tl.atomic_xor(target, x, mask=inside)
    else:
        tl.static_assert(False, OP)


@triton.jit
def lock_and_count(lock_ptr, out_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, out_dtype=OUT, input_precision="ieee"))


@triton.jit
def copy_blocks(source, target, offset_m, offset_n):
    """By descriptors that the host made."""
    block = source.load([offset_m, offset_n])
    target.store([offset_n, offset_m], block.T)


@triton.jit
def copy_by_device_descriptor(x_ptr, out_ptr, rows, columns, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [M, N])
    target = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [M, N])
    for m in range(0, rows, M):
        for n in range(0, columns, N):
            target.store([m, n], source.load([m, n]) + 1)


@triton.jit
def copy_by_block_pointer(x_ptr, out_ptr, rows, columns, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (rows, columns), (columns, 1), (0, 0), (M, N), (1, 0))
    target = tl.make_block_ptr(out_ptr, (rows, columns), (columns, 1), (0, 0), (M, N), (1, 0))
    for _ in range(0, columns, N):
        tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option="zero") + 1, boundary_check=(0, 1))
        source = tl.advance(source, (0, N))
        target = tl.advance(target, (0, N))


@triton.jit
def through_tuples(pointers, scales, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(pointers[0] + i, mask=i < n, other=0)
    tl.store(pointers[1] + i, x * scales.first + scales.second, mask=i < n)


@triton.jit
def specialized(out_ptr, n, m):
    """What the two ints are to the kernel: constants if they are 1."""
    i = tl.arange(0, 16)
    out = i * n + m
    if n == 1:
        out += 1000
    tl.store(out_ptr + i, out)


@triton.jit
def long_loop(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """A sum of integers over a run-time loop, carried as a block."""
    total = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr, tl.sum(total))
