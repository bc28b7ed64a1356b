"""Kernels whose loops and branches carry tensors, with reductions and products inside."""
import triton
import triton.language as tl


# signature: *i32,*i32,i32,32
@triton.jit
def fibonacci_blocks(x_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    """Two tensors that change places in each round."""
    i = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + i)
    b = tl.load(x_ptr + BLOCK + i)
    for _ in range(steps):
        a, b = b, a + b
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + BLOCK + i, b)


# signature: *i32,*i32,32
@triton.jit
def collatz_blocks(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """A while loop whose condition is a reduction of a tensor that it carries."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.load(x_ptr + i)
    steps = tl.zeros((BLOCK,), tl.int32)
    while tl.max(n, 0) > 1:
        running = n > 1
        n = tl.where(running, tl.where(n % 2 == 0, n // 2, 3 * n + 1), n)
        steps += running.to(tl.int32)
    tl.store(out_ptr + i, steps)


# signature: *i32,*i32,i32,16
@triton.jit
def branches(x_ptr, out_ptr, which, BLOCK: tl.constexpr):
    """Branches inside branches give tensors of different origin to what follows."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = x
    if which > 0:
        y = x * 2
        if which > 1:
            x = tl.load(x_ptr + BLOCK + i)
        else:
            y += i
    elif which < -1:
        x, y = y, x + tl.sum(x, 0)
    else:
        y = tl.zeros((BLOCK,), tl.int32)
    tl.store(out_ptr + i, x)
    tl.store(out_ptr + BLOCK + i, y)


# signature: *i32,*i32,i32,16
@triton.jit
def early_exit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Three ways out, each after other stores."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * BLOCK + i)
    out = out_ptr + row * BLOCK + i
    if row >= n:
        return
    tl.store(out, x)
    total = tl.sum(x, 0)
    if total < 0:
        tl.store(out, x - total)
        return
    if tl.max(x, 0) > 90:
        tl.store(out, -x)
        if total % 2 == 0:
            return
        tl.store(out_ptr + row * BLOCK, total)
    else:
        for _ in range(total % 5):
            x += tl.min(x, 0)
        tl.store(out, x)


# signature: *fp32,*fp32,i32,i32,16
@triton.jit
def power_of_matrix(x_ptr, out_ptr, power, modulus, SIZE: tl.constexpr):
    """x ** power by repeated squaring: products in a while loop, one of them in a branch."""
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    base = tl.load(x_ptr + at)
    result = (tl.arange(0, SIZE)[:, None] == tl.arange(0, SIZE)[None, :]).to(tl.float32)
    while power > 0:
        if power % 2 == 1:
            result = tl.dot(result, base, input_precision="ieee") % modulus
        base = tl.dot(base, base, input_precision="ieee") % modulus
        power = power // 2
    tl.store(out_ptr + at, result)


# signature: *fp32,*fp32,*fp32,i32,16,16
@triton.jit
def chained_products(x_ptr, w_ptr, out_ptr, layers, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """A network of equal layers: product, reduction of rows, and activation feed the next round."""
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, WIDTH)
    h = tl.load(x_ptr + i * WIDTH + j[None, :])
    for layer in range(layers):
        w = tl.load(w_ptr + layer * WIDTH * WIDTH + j[:, None] * WIDTH + j[None, :])
        h = tl.dot(h, w, input_precision="ieee")
        h = tl.maximum(h - tl.floor(tl.max(h, 1, keep_dims=True) / 2), 0.0)
    tl.store(out_ptr + i * WIDTH + j[None, :], h)


# signature: *i32,*i32,i32,i32,8,16
@triton.jit
def nested_loops(x_ptr, out_ptr, outer, inner, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """The inner loop carries a tensor that the outer one reduces, transposes and feeds back."""
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + i * COLUMNS + j)
    column = tl.zeros((1, COLUMNS), tl.int32)
    for a in range(outer):
        for b in range(a, inner):
            x = x * 3 + column + b
            column += 1
        column = tl.sum(x, 0, keep_dims=True) ^ a
    tl.store(out_ptr + i * COLUMNS + j, x)
    tl.store(out_ptr + ROWS * COLUMNS + j, column)


# signature: *i32,*i32,i32,i32,-3,16
@triton.jit
def moving_pointers(x_ptr, out_ptr, first, last, STEP: tl.constexpr, BLOCK: tl.constexpr):
    """Loops in either direction that carry tensors of pointers, of masks and of indices."""
    at = x_ptr + tl.arange(0, BLOCK) * 3
    mask = tl.arange(0, BLOCK) < 5
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    for k in range(first, last, STEP):
        total = total * 2 + tl.load(at, mask=mask, other=k)
        at += 2
        mask = (total + i) % 3 != 0
        i = tl.where(mask, i + 1, i)
    tl.store(out_ptr + tl.arange(0, BLOCK), total)
    tl.store(out_ptr + BLOCK + tl.arange(0, BLOCK), i)


# signature: *i32,*i32,i32,16
@triton.jit
def stores_in_loops(x_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    """Each round reads what the round before wrote."""
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))
    for step in range(steps):
        y = tl.load(out_ptr + i)
        tl.debug_barrier()
        tl.store(out_ptr + i, y + tl.sum(y, 0) + step)
        tl.debug_barrier()


# signature: *fp16,*i8,*i64,*fp32,i32,16
@triton.jit
def carried_types(half_ptr, byte_ptr, long_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    """Tensors of several types, a bool among them, through one loop, and through a branch in it."""
    i = tl.arange(0, BLOCK)
    h = tl.load(half_ptr + i)
    b = tl.load(byte_ptr + i)
    n = tl.load(long_ptr + i)
    seen = i < 0
    for step in range(steps):
        if step % 2 == 0:
            h = (h + 1).to(tl.float16)
            seen = seen | (b > 50)
        else:
            b = (b + 100).to(tl.int8)
            n = n * 1000003 + b
    tl.store(out_ptr + i, tl.where(seen, h, -h))
    tl.store(byte_ptr + i, b)
    tl.store(long_ptr + i, n)


# signature: *i32,*i32,i32,16,64
@triton.jit
def totals(x_ptr, out_ptr, steps, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Totals over tiles, by rows, by columns and of all, that nothing in the loop looks at."""
    r = tl.arange(0, ROWS)
    c = tl.arange(0, COLUMNS)
    rows = r * 100
    largest = tl.full((COLUMNS,), -1000, tl.int32)
    bits = tl.full((ROWS,), 0, tl.int32)
    everything = 7
    for step in range(steps):
        x = tl.load(x_ptr + step * ROWS * COLUMNS + r[:, None] * COLUMNS + c[None, :])
        rows += tl.sum(x, 1)
        largest = tl.maximum(largest, tl.max(x, 0))
        bits = bits ^ tl.xor_sum(x, 1)
        everything += tl.sum(tl.reshape(x, (ROWS * COLUMNS,)), 0)
    tl.store(out_ptr + r, rows)
    tl.store(out_ptr + ROWS + r, bits)
    tl.store(out_ptr + 2 * ROWS + c, largest)
    tl.store(out_ptr + 2 * ROWS + COLUMNS, everything)


@triton.jit
def adjusted(x_ptr, out_ptr, number, flag, N: tl.constexpr):
    """Branches around one op on a tensor and a number."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    a, b, c, d = x, x, x, x
    if flag:
        a += number
        d = 1.0 - x
    else:
        b = b - number
    if flag > 1:
        c = number * c
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)
