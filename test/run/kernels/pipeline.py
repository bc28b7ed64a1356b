"""Loops whose loads run ahead of their use on GPUs."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, out_ptr, K, stride_ak, stride_am, stride_bk, stride_bn, M: tl.constexpr, N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    """Pointers that move, masks that end with K."""
    rm, rn, rk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    a = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a, mask=rk[None, :] < K - k * BLOCK_K, other=0.0)
        right = tl.load(b, mask=rk[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(left, right, acc)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def paged(a_ptr, b_ptr, pages_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Where tiles lie is loaded too."""
    rm, rn, rk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(0, count):
        page = tl.load(pages_ptr + i)
        left = tl.load(a_ptr + page * M * K + rm[:, None] * K + rk[None, :])
        right = tl.load(b_ptr + page * K * N + rk[:, None] * N + rn[None, :])
        acc += tl.dot(left, right)
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def running_max(x_ptr, out_ptr, n, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """No dot, but a number of stages; and a value other than zero under the mask."""
    largest = tl.full((BLOCK,), -1.0e9, tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=STAGES):
        columns = start + tl.arange(0, BLOCK)
        largest = tl.maximum(largest, tl.load(x_ptr + columns, mask=columns < n - 3, other=-7.0))
    tl.store(out_ptr + tl.arange(0, BLOCK), largest)


@triton.jit
def overwritten(a_ptr, b_ptr, out_ptr, count, M: tl.constexpr):
    """What the loop loads, the iteration before has stored."""
    r = tl.arange(0, M)
    at = r[:, None] * M + r[None, :]
    acc = tl.zeros((M, M), tl.float32)
    for i in range(0, count):
        left = tl.load(a_ptr + at)
        right = tl.load(b_ptr + i * M * M + at)
        acc = tl.dot(left, right, acc)
        tl.store(a_ptr + at, left + 1.0)
    tl.store(out_ptr + at, acc)


@triton.jit
def gathered(a_ptr, b_ptr, rows_ptr, out_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """The rows of the left operand are loaded as a tile, and that tile runs ahead too."""
    rm, rn, rk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(0, count):
        rows = tl.load(rows_ptr + i * M + rm)
        left = tl.load(a_ptr + rows[:, None] * K + rk[None, :])
        right = tl.load(b_ptr + i * K * N + rk[:, None] * N + rn[None, :])
        acc = tl.dot(left, right, acc)
    tl.store(out_ptr + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def overwritten_rows(a_ptr, b_ptr, rows_ptr, out_ptr, count, M: tl.constexpr):
    """Which rows an iteration gathers, the iteration before has stored."""
    r = tl.arange(0, M)
    acc = tl.zeros((M, M), tl.float32)
    for i in range(0, count):
        rows = tl.load(rows_ptr + r)
        left = tl.load(a_ptr + rows[:, None] * M + r[None, :])
        right = tl.load(b_ptr + r[:, None] * M + r[None, :])
        acc = tl.dot(left, right, acc)
        tl.store(rows_ptr + r, (rows + 1) % M)
    tl.store(out_ptr + r[:, None] * M + r[None, :], acc)


@triton.jit
def taken_from_queue(a_ptr, b_ptr, head_ptr, out_ptr, count, M: tl.constexpr):
    """An atomic names the tile: it must happen once in an iteration, and in order."""
    r = tl.arange(0, M)
    at = r[:, None] * M + r[None, :]
    acc = tl.zeros((M, M), tl.float32)
    for i in range(0, count):
        tile = tl.atomic_add(head_ptr, 1)
        acc = tl.dot(tl.load(a_ptr + tile * M * M + at), tl.load(b_ptr + at), acc)
    tl.store(out_ptr + at, acc)


# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,i32:16,32,64,64
# signature: *i8:16,*i8:16,*i32:16,i32,i32,i32:16,i32:16,32,64,64
@triton.jit
def ragged_product(a_ptr, b_ptr, out_ptr, K, columns, lda, ldb, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    """Rows begin at multiples of 16 bytes and end anywhere: the mask ends inside a copy."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    total = tl.zeros((M, N), out_ptr.dtype.element_ty)
    for start in range(0, K, STEP):
        a = tl.load(a_ptr + m[:, None] * lda + (start + k)[None, :], mask=(start + k)[None, :] < K, other=0)
        b = tl.load(b_ptr + (start + k)[:, None] * ldb + n[None, :], mask=((start + k)[:, None] < K) & (n[None, :] < columns),
                    other=0)
        total = tl.dot(a, b, total, out_dtype=total.dtype)
    tl.store(out_ptr + m[:, None] * N + n[None, :], total)


# signature: *fp16,*fp16,*fp32,i32,i32,i32,i32,32,64,64
@triton.jit
def ragged_descriptors(a_ptr, b_ptr, out_ptr, K, columns, lda, ldb, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    """The same through descriptors, which promise where rows begin."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [lda, 1], [M, STEP])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, columns], [ldb, 1], [STEP, N])
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, STEP):
        total = tl.dot(a_desc.load([0, start]), b_desc.load([start, 0]), total)
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(out_ptr + m[:, None] * N + n[None, :], total)
