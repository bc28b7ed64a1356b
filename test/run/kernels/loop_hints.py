"""What tl.range asks of the compiler changes no results."""
import triton
import triton.language as tl


# signature: *fp16:16,*fp16:16,*fp32:16,i32,4,3,True,True,32
@triton.jit
def hinted(x_ptr, w_ptr, out_ptr, n, STAGES: tl.constexpr, UNROLL: tl.constexpr, LICM: tl.constexpr, OTHERS: tl.constexpr,
           T: tl.constexpr):
    """A sum of products, of what changes with the index and of what does not."""
    row = tl.arange(0, T)
    square = row[:, None] * T + row[None, :]
    acc = tl.zeros((T, T), tl.float32)
    for k in tl.range(1, n, 2, num_stages=STAGES, loop_unroll_factor=UNROLL, disable_licm=LICM,
                      disallow_acc_multi_buffer=OTHERS, flatten=OTHERS, warp_specialize=OTHERS):
        x = tl.load(x_ptr + k * T * T + square)
        w = tl.load(w_ptr + square)
        acc += tl.dot(x, w) * (n + 1)
    tl.store(out_ptr + square, acc)


# signature: *fp32:16,*fp32:16,i32,i32,3,128
@triton.jit
def promised(x_ptr, out_ptr, n, stride, N: tl.constexpr, T: tl.constexpr):
    """Loops that are gone when the kernel is compiled, and what the program promises."""
    tl.assume(n > 0)
    tl.assume(stride % 16 == 0)
    row = tl.arange(0, T)
    acc = tl.zeros((T,), tl.float32)
    for i in tl.static_range(N):
        for j in tl.static_range(i, N + 1, 2):
            acc += tl.load(x_ptr + j * stride + row, mask=row < n, other=0.0) * (i + 1)
    tl.store(out_ptr + row, acc)


# signature: *fp32:16,*fp32:16,i32,True,128
@triton.jit
def condition(x_ptr, out_ptr, n, LICM: tl.constexpr, T: tl.constexpr):
    """while with a hint."""
    row = tl.arange(0, T)
    acc = tl.zeros((T,), tl.float32)
    i = 0
    while tl.condition(i < n, disable_licm=LICM):
        acc += tl.load(x_ptr + i * T + row) * (n * 2)
        i += 1
    tl.store(out_ptr + row, acc)
