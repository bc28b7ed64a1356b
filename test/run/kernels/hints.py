"""Promises about values that loops carry, functions take and calls return: accesses get wide, and read what they should."""
import triton
import triton.language as tl


# signature: *fp16,*fp16,*fp32,i32,i32,i32,64,32,32
@triton.jit
def hinted_product(a_ptr, b_ptr, out_ptr, K, lda, ldb, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    """out = a b, where only the promises in the loop say that rows begin at multiples of 16 bytes."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    a_ptrs = a_ptr + m[:, None] * lda + k[None, :]
    b_ptrs = b_ptr + k[:, None] * ldb + n[None, :]
    total = tl.zeros((M, N), tl.float32)
    for _ in range(0, K, STEP):
        tl.multiple_of(a_ptrs, [16, 16])
        tl.multiple_of(b_ptrs, [16, 16])
        total = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), total)
        a_ptrs += STEP
        b_ptrs += STEP * ldb
    tl.store(out_ptr + m[:, None] * N + n[None, :], total)


# signature: *i32,*i32,i32,i32,256
@triton.jit
def hint_inside_and_load_after(x_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    """The promise is about the iterations: what follows them may begin anywhere."""
    i = tl.arange(0, BLOCK)
    at = x_ptr + i
    total = tl.zeros((BLOCK, ), tl.int32)
    for _ in range(n):
        tl.multiple_of(at, 16)
        total += tl.load(at)
        at += step
    at += 1 - n % 2
    tl.store(out_ptr + i, total)
    tl.store(out_ptr + BLOCK + i, tl.load(at))


# signature: *i32,*i32,i32,i32,256
@triton.jit
def hint_in_while(x_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at, total, left = x_ptr + i, tl.zeros((BLOCK, ), tl.int32), n
    while left > 0:
        tl.multiple_of(at, 16)
        total += tl.load(at)
        at += step
        left -= 1
    tl.store(out_ptr + i, total)


@triton.jit
def ends(x_ptr, first, last):
    tl.multiple_of(first, 4)
    return x_ptr + first, x_ptr + last


# signature: *i32,*i32,i32,i32,256
@triton.jit
def hint_on_one_of_two(x_ptr, out_ptr, first, last, BLOCK: tl.constexpr):
    """A promise about a parameter, and one about one of two results."""
    i = tl.arange(0, BLOCK)
    left, right = ends(x_ptr, first, last)
    tl.multiple_of(left, 16)
    tl.store(out_ptr + i, tl.load(left + i) - tl.load(right + i))
