"""Kernels whose pointers may lead to the same memory: a statement is finished before the next begins."""
import triton
import triton.language as tl


# signature: *i32,*i32,*i32,i32,32
@triton.jit
def three_pointers(p, q, r, n, BLOCK: tl.constexpr):
    """Loads and stores in turns through three pointers."""
    i = tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(p + i, mask=mask, other=3)
    tl.store(q + i, a + 1, mask=mask)
    b = tl.load(r + i, mask=mask, other=5)
    tl.store(p + i, a * 2 + b)
    c = tl.load(q + i)
    tl.store(r + i, c - a, mask=mask)


# signature: *i32,*i32,32
@triton.jit
def store_then_load(p, q, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(p + i, i * 10)
    tl.store(q + i, tl.load(p + i) + tl.load(q + i))


# signature: *i32,*i32,4,8
@triton.jit
def other_shapes(p, q, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """What was stored as a row is loaded as columns, and as every second element backwards."""
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    k = tl.arange(0, ROWS * COLUMNS)
    tl.store(p + k, tl.load(q + k) ^ 5)
    turned = tl.load(p + j * ROWS + i)
    tl.store(q + i * COLUMNS + j, turned)
    half = tl.arange(0, ROWS * COLUMNS // 2)
    tl.store(p + half, tl.load(q + ROWS * COLUMNS - 1 - 2 * half))


# signature: *i32,*i32,i32,32
@triton.jit
def two_stores(p, q, n, BLOCK: tl.constexpr):
    """Of two stores to an address the later one stays."""
    i = tl.arange(0, BLOCK)
    tl.store(p + i, i + 100)
    tl.store(q + 2 * i, i + 200, mask=i < n)
    tl.store(p + BLOCK - 1 - i, i + 300, mask=i % 3 == 0)


# signature: *i32,*i32,*i32,32
@triton.jit
def sums_between(p, q, out, BLOCK: tl.constexpr):
    """A reduction sees the stores before it and none after."""
    i = tl.arange(0, BLOCK)
    first = tl.sum(tl.load(p + i), 0)
    tl.store(q + i, first + i)
    second = tl.sum(tl.load(p + i), 0)
    tl.store(p + i, second - i)
    third = tl.max(tl.load(q + i), 0)
    tl.store(out, first)
    tl.store(out + 1, second)
    tl.store(out + 2, third)


# signature: *fp32,*i32,*i16,32
@triton.jit
def other_types(p, q, r, BLOCK: tl.constexpr):
    """The same bytes as floats, as ints and as halves of ints."""
    i = tl.arange(0, BLOCK)
    x = tl.load(p + i)
    tl.store(q + i, tl.load(q + i) + 1)
    tl.store(p + i, tl.load(p + i) + x)
    low = tl.load(r + 2 * i)
    tl.store(r + 2 * i + 1, low)
    tl.store(q + i, tl.load(q + i) ^ 3)


# signature: *i32,*i32,i32,16
@triton.jit
def loop_over_overlap(p, q, steps, BLOCK: tl.constexpr):
    """Every round reads what rounds before it wrote a few elements away."""
    i = tl.arange(0, BLOCK)
    for step in range(steps):
        a = tl.load(p + step * 4 + i)
        b = tl.load(q + i)
        tl.store(q + step * 3 + i, a + b)


# signature: *i32,*i32,i32,16
@triton.jit
def scalars_and_tiles(p, q, n, BLOCK: tl.constexpr):
    """Scalar accesses between those of tiles."""
    i = tl.arange(0, BLOCK)
    tl.store(p + i, i)
    tl.store(q, 77)
    first = tl.load(p)
    tl.store(p + i, tl.load(p + i) + first)
    tl.store(q + n, tl.load(q + n) * 2)
    tl.store(q + i, tl.load(q + i) - tl.load(p + n))


# signature: *i32,*i32,16,24
@triton.jit
def many_accesses(p, q, BLOCK: tl.constexpr, COUNT: tl.constexpr):
    """More loads and stores than can be compared with each other."""
    i = tl.arange(0, BLOCK)
    for k in tl.static_range(COUNT):
        a = tl.load(p + i + k)
        tl.store(q + i * 2 + k, a + tl.load(q + i))
