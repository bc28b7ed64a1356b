"""Loops in loops with tl.range(flatten=True): each is one loop on a GPU, where that is possible."""
import triton
import triton.language as tl


# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,i32:16,i32:16,64,32 --num-stages 4
@triton.jit
def tiles(a_ptr, b_ptr, out_ptr, first, count, every, K, stride_a, stride_b, T: tl.constexpr, BK: tl.constexpr):
    """A persistent product: output tile t is rows t of a, all of b; masks along K; pointers from the index."""
    row = tl.arange(0, T)
    for t in tl.range(first, count, every, flatten=True):
        rows = t * T + row
        acc = tl.zeros((T, T), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            inner = k * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + rows[:, None] * stride_a + inner[None, :], mask=inner[None, :] < K, other=0.0)
            b = tl.load(b_ptr + inner[:, None] * stride_b + row[None, :], mask=inner[:, None] < K, other=0.0)
            acc = tl.dot(a, b, acc)
        tl.store(out_ptr + rows[:, None] * T + row[None, :], acc + t)


# signature: *fp16:16,*fp16:16,*fp32:16,*fp32:16,i32,i32,i32,i32,32
@triton.jit
def pointers(a_ptr, b_ptr, bias_ptr, out_ptr, count, low, high, step, T: tl.constexpr):
    """Pointers that the inner loop moves, a sum that begins with a load, bounds that are no constants."""
    row = tl.arange(0, T)
    square = row[:, None] * T + row[None, :]
    for t in tl.range(count, flatten=True):
        acc = tl.load(bias_ptr + t * T + row)[:, None] + tl.zeros((T, T), tl.float32)
        a_ptrs = a_ptr + t * 4 * T * T + square
        b_ptrs = b_ptr + square
        for k in range(low, high, step):
            acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc) + k
            a_ptrs += T * T
            b_ptrs += T * T
        tl.store(out_ptr + t * T * T + square, acc)


# signature: *fp32:16,*fp32:16,*fp32:16,i32,i32,128,3
@triton.jit
def carried(a_ptr, out_ptr, total_ptr, count, n, T: tl.constexpr, STAGES: tl.constexpr):
    """What outer iterations hand on: a place that the prologue moves, a total that the epilogue adds to; no dot."""
    row = tl.arange(0, T)
    total = tl.zeros((T,), tl.float32)
    place = 0
    seen = 0
    for t in tl.range(count, num_stages=STAGES, flatten=True):
        base = place
        place += n
        acc = tl.zeros((T,), tl.float32)
        highest = -1.0e9
        for k in range(n):
            x = tl.load(a_ptr + (base + k) * T + row)
            acc += x * (k + 1)
            highest = tl.maximum(highest, tl.max(x, 0))
        total += acc
        seen += 1
        tl.store(out_ptr + t * T + row, acc + highest + seen)
    tl.store(total_ptr + row, total + place)


# signature: *fp16:16,*fp16:16,*i32:16,*fp32:16,i32,i32,32
@triton.jit
def atomics(a_ptr, b_ptr, tiles_ptr, sums_ptr, count, n, T: tl.constexpr):
    """Which rows an outer iteration takes is loaded before its inner loop; it ends with atomics."""
    row = tl.arange(0, T)
    square = row[:, None] * T + row[None, :]
    for t in tl.range(count, flatten=True):
        tile = tl.load(tiles_ptr + t)
        acc = tl.zeros((T, T), tl.float32)
        for k in range(n):
            a = tl.load(a_ptr + (tile * n + k) * T * T + square)
            b = tl.load(b_ptr + k * T * T + square)
            acc += tl.dot(a, b)
        tl.atomic_add(sums_ptr + tile * T * T + square, acc, sem="relaxed")


# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,32
@triton.jit
def grouped(a_ptr, b_ptr, out_ptr, count, wide, group, n, T: tl.constexpr):
    """Divisions by what is zero for tiles that do not exist."""
    row = tl.arange(0, T)
    square = row[:, None] * T + row[None, :]
    for t in tl.range(count, flatten=True):
        first = t // (group * wide) * group
        size = min(count // wide - first, group)
        i = first + t % size
        j = t % (group * wide) // size
        acc = tl.zeros((T, T), tl.float32)
        for k in range(n):
            acc = tl.dot(tl.load(a_ptr + (i * n + k) * T * T + square), tl.load(b_ptr + (j * n + k) * T * T + square), acc)
        tl.store(out_ptr + (i * wide + j) * T * T + square, acc)


# signature: "*fp16:16,*fp32:16,i32,i32,'two',32"
@triton.jit
def left_alone(a_ptr, out_ptr, count, n, KIND: tl.constexpr, T: tl.constexpr):
    """Nests that stay as they are: see KIND."""
    row = tl.arange(0, T)
    square = row[:, None] * T + row[None, :]
    before = tl.zeros((T, T), tl.float32)
    for t in tl.range(count, flatten=True):
        acc = tl.zeros((T, T), tl.float32)
        end = n
        if KIND == "bounds":
            end = t
        if KIND == "prologue":
            tl.store(out_ptr + t * T * T + square, acc + 7)
        if KIND == "total":
            acc = before
        for k in range(end):
            x = tl.load(a_ptr + k * T * T + square)
            acc = tl.dot(x, x, acc)
        if KIND == "two":
            for k in range(n):
                x = tl.load(a_ptr + k * T * T + square)
                acc += tl.dot(x, x)
        if KIND == "while":
            k = 0
            while k < t:
                acc += k
                k += 1
        if KIND == "overwrite":
            tl.store(a_ptr + square, (acc * 0 + t + 1).to(tl.float16))
        before = acc
        if KIND != "prologue":
            tl.store(out_ptr + t * T * T + square, acc)
