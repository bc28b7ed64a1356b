"""Kernels that reduce: whole algorithms, and reductions whose results steer the rest."""
import triton
import triton.language as tl


@triton.jit
def welford(mean1, spread1, count1, mean2, spread2, count2):
    """Mean, sum of squared deviations and count of two samples together."""
    count = count1 + count2
    share = count2 / tl.maximum(count, 1.0)
    delta = mean2 - mean1
    return mean1 + delta * share, spread1 + spread2 + delta * delta * count1 * share, count


# signature: *fp32,*fp32,*fp32,i32,8,64
@triton.jit
def mean_and_variance(x_ptr, mean_ptr, variance_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Of each row's first n elements, by one reduction of three operands."""
    rows = tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)[None, :]
    valid = (columns < n) & (rows[:, None] < ROWS)
    x = tl.load(x_ptr + rows[:, None] * n + columns, mask=valid, other=0.0)
    count = valid.to(tl.float32)
    mean, spread, total = tl.reduce((x, tl.zeros_like(x), count), 1, welford)
    tl.store(mean_ptr + rows, mean)
    tl.store(variance_ptr + rows, spread / total)


# signature: *fp32,*fp32,*fp32,*fp32,*i32,*i32,i32,64
@triton.jit
def many_of_one_load(x_ptr, sum_ptr, max_ptr, norm_ptr, first_ptr, positive_ptr, n, BLOCK: tl.constexpr):
    """Five reductions of the same row, each of other values."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=-float("inf"))
    finite = tl.where(i < n, x, 0.0)
    tl.store(sum_ptr + row, tl.sum(finite))
    tl.store(max_ptr + row, tl.max(x, 0))
    tl.store(norm_ptr + row, tl.sqrt(tl.sum(finite * finite, 0)))
    tl.store(first_ptr + row, tl.argmax(x, 0))
    tl.store(positive_ptr + row, tl.sum((x > 0).to(tl.int32)))


# signature: *fp32,*fp32,i32,i32,4,64
@triton.jit
def softmax_rows(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Several rows a program; reductions that are broadcast back onto their own operand."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    mask = (i < rows) & (j < columns)
    x = tl.load(x_ptr + i * columns + j, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 1, keep_dims=True))
    y = e / tl.sum(e, 1, keep_dims=True)
    tl.store(out_ptr + i * columns + j, y, mask=mask)


# signature: *fp32,*fp32,*fp32,*fp32,fp32,i32,64
@triton.jit
def layer_norm_row(x_ptr, weight_ptr, bias_ptr, out_ptr, eps, n, BLOCK: tl.constexpr):
    """The variance needs the mean: a reduction of what another reduction gave."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + row * n + i, mask=mask, other=0.0)
    mean = tl.sum(x, 0) / n
    centred = tl.where(mask, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    y = centred * scale * tl.load(weight_ptr + i, mask=mask) + tl.load(bias_ptr + i, mask=mask)
    tl.store(out_ptr + row * n + i, y, mask=mask)


# signature: *i32,*i32,*i32,64
@triton.jit
def steered(x_ptr, table_ptr, out_ptr, BLOCK: tl.constexpr):
    """Results of reductions as pointer offset, loop bound, condition, mask and arange's start."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * BLOCK + i)
    out_ptr += row * 8
    where = tl.argmax(x, 0)
    tl.store(out_ptr + 0, tl.load(table_ptr + where))
    steps = tl.sum((x > 50).to(tl.int32), 0)
    total = 0
    for step in range(steps):
        total += step * where
    tl.store(out_ptr + 1, total)
    lowest = tl.min(x, 0)
    if lowest < 0:
        tl.store(out_ptr + 2, -lowest)
    else:
        tl.store(out_ptr + 2, lowest + 1000)
    tl.store(out_ptr + 3, tl.sum(tl.load(table_ptr + i, mask=i < where, other=0), 0))
    tl.store(out_ptr + 4, tl.sum(tl.load(table_ptr + where + i), 0))
    left = steps
    rounds = 0
    while left > 0:
        left -= 1 + tl.max(tl.where(i < left, x, 0), 0) // 64
        rounds += 1
    tl.store(out_ptr + 5, rounds)
    if tl.xor_sum(x, 0) % 2 == 0:
        return
    tl.store(out_ptr + 6, tl.sum(x, 0))


# signature: *fp32,*fp32,*fp32,i32,i32,4,32
@triton.jit
def online_max_and_sum(x_ptr, max_ptr, sum_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Reductions in a loop that carries their results as tensors."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for first in range(0, columns, COLUMNS):
        j = first + tl.arange(0, COLUMNS)
        mask = (i[:, None] < rows) & (j[None, :] < columns)
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=mask, other=-float("inf"))
        new_top = tl.maximum(top, tl.max(x, 1))
        shift = tl.where(new_top == -float("inf"), 0.0, new_top)
        total = total * tl.exp(top - shift) + tl.sum(tl.exp(x - shift[:, None]), 1)
        top = new_top
    tl.store(max_ptr + i, top, mask=i < rows)
    tl.store(sum_ptr + i, total, mask=i < rows)


# signature: *fp32,*fp32,i32,8,64
@triton.jit
def sum_after_loop(x_ptr, out_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """One tile of partial sums, reduced once at the end along both axes in turn."""
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    partial = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, n, ROWS * COLUMNS):
        partial += tl.load(x_ptr + first + at, mask=first + at < n, other=0.0)
    tl.store(out_ptr, tl.sum(tl.sum(partial, 1), 0))


# signature: *fp32,*fp32,1024
@triton.jit
def sum_block(x_ptr, out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0), tl.sum(tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), 0))


# signature: *fp32,*fp32,256,16
@triton.jit
def sum_columns(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    j = tl.arange(0, COLUMNS)
    tl.store(out_ptr + j, tl.sum(tl.load(x_ptr + tl.arange(0, ROWS)[:, None] * COLUMNS + j[None, :]), 0))


# signature: *fp32,*fp32,*fp32,i32,16
@triton.jit
def distances(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """A sum over an axis that only broadcasting made: no operand has all its elements in memory."""
    i = tl.arange(0, BLOCK)
    k = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * BLOCK + k[None, :])
    y = tl.load(y_ptr + i[:, None] * BLOCK + k[None, :])
    difference = x[:, None, :] - y[None, :, :]
    tl.store(out_ptr + i[:, None] * BLOCK + i[None, :], tl.sum(difference * difference, 2), mask=i[:, None] < n)


# signature: *fp32,*fp32,*fp32,fp32,i32,32,64
@triton.jit
def scaled_extremes(x_ptr, out_ptr, difference_ptr, scale, count, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Softmax's form: the largest scaled element of each row, and what is left of the others without it."""
    i = tl.arange(0, ROWS)
    at = i[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    for tile in range(count):
        scaled = tl.load(x_ptr + tile * ROWS * COLUMNS + at) * scale
        largest = tl.max(scaled, 1)
        tl.store(out_ptr + tile * ROWS + i, largest)
        tl.store(difference_ptr + tile * ROWS * COLUMNS + at, scaled - largest[:, None])
