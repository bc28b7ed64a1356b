"""A small kernel for each pass, for docs/passes.md: `scripts/write-passes` shows what the pass changes in it.

Comments above a kernel name the pass and say what to look at; the signature may be followed by flags of `tessera explain`.
"""
import triton
import triton.language as tl


@triton.jit
def double(x):
    return x + x


# pass: tt-inliner
# The call of `double` is replaced by its body, and the function is removed.
# signature: *fp32,64
@triton.jit
def inline(p, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(p + i, double(tl.load(p + i)))


# pass: tt-drop-hints
# The hint that the offset is a multiple of 16 is a cast, which the CPU does not read.
# signature: *fp32,i32 -t cpu
@triton.jit
def hint(p, n):
    tl.store(p + tl.multiple_of(n, 16), 1.0)


# pass: tt-rewrite-tensor-pointer
# A block pointer becomes a pointer for each element, and a mask for the dimension that is checked.
# signature: *fp32,i32,16
@triton.jit
def block_pointer(p, n, N: tl.constexpr):
    block = tl.make_block_ptr(p, (n,), (1,), (0,), (N,), (0,))
    tl.store(block, tl.load(block, boundary_check=(0,), padding_option="zero"))


# pass: tt-rewrite-tensor-descriptor-to-pointer
# The same for a descriptor, on chips without TMA. Every dimension is checked.
# signature: *fp32:16,i32,16 -t cuda:80
@triton.jit
def descriptor(p, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(p, (n,), (1,), (N,))
    d.store([0], d.load([0]) + 1.0)


# pass: tt-canonicalizer
# Multiplying by one and adding zero are folded, and constants come first.
# signature: *i32,16
@triton.jit
def canonicalize(p, N: tl.constexpr):
    i = tl.arange(0, N) * 1 + 0
    tl.store(p + i, i)


# pass: tt-flatten-branches
# Either one or nothing is added in any case: -0.0, since 0.0 would change -0.0.
# signature: *fp32,i1,64
@triton.jit
def flatten(p, centered, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    if centered:
        x += 1.0
    tl.store(p + tl.arange(0, N), x)


# pass: tt-combine
# A sum after a product becomes the product's accumulator.
# signature: *fp16,*fp32,16
@triton.jit
def combine(a, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + i)
    tl.store(c + i, tl.dot(x, x) + tl.load(c + i))


# pass: tt-reorder-broadcast
# The negation is computed for one number, and then broadcast, instead of for 64 numbers.
# signature: *fp32,fp32,64
@triton.jit
def reorder(p, x, N: tl.constexpr):
    tl.store(p + tl.arange(0, N), -tl.broadcast_to(x, (N,)))


# pass: cse
# Both loads compute the same addresses; one computation is left. The loads stay: memory may have changed.
# signature: *fp32,*fp32,64
@triton.jit
def common(p, q, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    tl.store(q + tl.arange(0, N), x)


# pass: tt-loop-unroll
# The loop asks for two copies of its body, so it takes half as many iterations; a second loop takes what is left over.
# signature: *fp32,i32
@triton.jit
def unroll(p, n):
    for i in tl.range(0, n, loop_unroll_factor=2):
        tl.store(p + i, 1.0)


# pass: ttg-decompose-scaled-dot
# The operands are scaled and converted first; then the product is an ordinary one.
# signature: *u8,*u8,*fp32,32,64
@triton.jit
def scaled(a, s, c, M: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(a + rows[:, None] * K + tl.arange(0, K)[None, :])
    y = tl.load(a + tl.arange(0, K)[:, None] * M + rows[None, :])
    scale = tl.load(s + rows[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    tl.store(c + rows[:, None] * M + rows[None, :], tl.dot_scaled(x, scale, "e5m2", y, scale, "e5m2"))


# pass: ttg-f32-dot-tc
# A product of 32-bit floats is computed as three products of narrower parts, for more precision than one.
# signature: *fp32,*fp32,16
@triton.jit
def three_products(a, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + i)
    tl.store(c + i, tl.dot(x, x, input_precision="tf32x3"))


# pass: ttg-order-programs
# Later programs run more iterations, so they start first: program ids count backwards.
# signature: *fp32:16,*fp32:16,i32,128
@triton.jit
def triangle(p, q, n, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    acc = tl.zeros((N, ), tl.float32)
    for k in range(0, row * n):
        acc += tl.load(p + k * N + i)
    tl.store(q + row * N + i, acc)


# pass: convert-ttir-to-ttgir
# Every tensor gets the same simple layout: which thread holds which element.
# signature: *fp32,64
@triton.jit
def lay_out(p, N: tl.constexpr):
    tl.store(p + tl.arange(0, N), 1.0)


# pass: ttg-coalesce
# The signature promises addresses that are multiples of 16 bytes, so a thread may move 4 neighbouring elements at once.
# signature: *fp32:16,*fp32:16,512
@triton.jit
def coalesce(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(q + i, tl.load(p + i))


# pass: ttg-assign-pack-groups
# Inline assembly takes four bytes at a time; those that are neighbours in memory belong together.
# signature: *i8:16,*i8:16,512
@triton.jit
def pack_groups(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(p + i)
    y = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [x], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(q + i, y)


# pass: nvidia-accelerate-matmul
# The product gets the layout in which the tensor cores leave their results.
# signature: *fp16:16,*fp32:16,16 -t cuda:80
@triton.jit
def accelerate(a, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + i)
    tl.store(c + i, tl.dot(x, x))


# pass: ttg-plan-cta
# Two CTAs share a program, and split the rows. A sum over rows must stay within one CTA, so they split the columns instead.
# signature: *fp32:16,*fp32:16,64,64 --num-ctas 2
@triton.jit
def plan(p, q, M: tl.constexpr, N: tl.constexpr):
    cols = tl.arange(0, N)
    x = tl.load(p + tl.arange(0, M)[:, None] * N + cols[None, :])
    tl.store(q + cols, tl.sum(x, axis=0))


# pass: ttg-remove-layout-conversions
# The layouts that coalescing chose for loads and stores spread to all other ops, and the conversions between them go.
# signature: *fp32:16,*fp32:16,512
@triton.jit
def remove_conversions(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(q + i, tl.load(p + i))


# pass: ttg-optimize-thread-locality
# Each thread adds up its own elements in the loop; threads exchange sums once, after it.
# signature: *fp32:16,*fp32:16,i32,64
@triton.jit
def locality(p, q, n, N: tl.constexpr):
    rows, cols = tl.arange(0, N), tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for k in range(n):
        total += tl.sum(tl.load(p + k * N * N + rows[:, None] * N + cols[None, :]), axis=1)
    tl.store(q + rows, total)


# pass: tt-loop-aware-cse
# Two loop-carried values that are always equal become one.
# signature: *fp32:16,*fp32:16,i32,64
@triton.jit
def equal_values(p, q, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.zeros((N,), tl.float32), tl.zeros((N,), tl.float32)
    for k in range(n):
        value = tl.load(p + k * N + i)
        x += value
        y += value
    tl.store(q + i, x * y)


# pass: nvidia-promote-loads
# The addresses of a tile are one start and two strides, so a tensor map describes them.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64,64
@triton.jit
def promote(a, b, q, n, stride_a, stride_b, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * stride_a + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * stride_b + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: tt-loop-invariant-code-motion
# The product does not depend on the iteration.
# signature: *fp32,i32,i32
@triton.jit
def hoist(p, n, m):
    for k in range(n):
        tl.store(p + k, (n * m).to(tl.float32))


# pass: ttg-fuse-nested-loops
# Two loops become one, so that loads of the next outer iteration can start in the current one.
# signature: *fp32:16,*fp32:16,i32,i32,64
@triton.jit
def fuse(p, q, n, m, N: tl.constexpr):
    i = tl.arange(0, N)
    for tile in tl.range(0, n, flatten=True):
        total = tl.zeros((N,), tl.float32)
        for k in range(m):
            total += tl.load(p + (tile * m + k) * N + i)
        tl.store(q + tile * N + i, total)


# pass: ttg-assign-latencies
# `tt.latency` says how many iterations before its use the load is to start.
# signature: *fp16:16,*fp32:16,i32,32
@triton.jit
def latencies(p, q, n, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(p + k * N * N + i)
        acc = tl.dot(x, x, acc)
    tl.store(q + i, acc)


# pass: ttg-schedule-loops
# Each op of the loop gets a stage: the load is in the first, and the product that uses it in the last.
# signature: *fp16:16,*fp32:16,i32,32
@triton.jit
def schedule(p, q, n, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(p + k * N * N + i)
        acc = tl.dot(x, x, acc)
    tl.store(q + i, acc)


# pass: ttg-pipeline
# Asynchronous copies fill one buffer in shared memory while the product reads another.
# signature: *fp16:16,*fp32:16,i32,32
@triton.jit
def pipeline(p, q, n, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(p + k * N * N + i)
        acc = tl.dot(x, x, acc)
    tl.store(q + i, acc)


# pass: ttg-prefetch
# The product's first operands are read from shared memory before the iteration in which they are used.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,64,64 -t cuda:80
@triton.jit
def prefetch(a, b, q, n, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * n * K + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * N + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: nvidia-overlap-dots
# The unit that multiplies works on while the warps go on; the wait moves to where the result is needed.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,64,64
@triton.jit
def overlap(a, b, q, n, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * n * K + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * N + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: nvidia-lower-descriptor-loads
# A loop that is not pipelined starts a copy and waits for it.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64,64 --num-stages 1
@triton.jit
def copy_and_wait(a, b, q, n, stride_a, stride_b, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * stride_a + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * stride_b + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: nvidia-specialize-warps
# Four more warps wait for free slots and start copies; the others compute, and release slots.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64,64 --warp-specialize on
@triton.jit
def copy_beside(a, b, q, n, stride_a, stride_b, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * stride_a + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * stride_b + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: nvidia-alternate-dots
# While one warp group computes the exponentials, the products of the other run.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,128,64 --warp-specialize on --num-warps 8
@triton.jit
def take_turns(q, k, out, n, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    left = tl.load(q + rows[:, None] * N + columns[None, :])
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, n, N):
        x = tl.load(k + (start + columns)[:, None] * N + columns[None, :])
        acc = tl.dot(tl.exp(tl.dot(left, x)).to(tl.float16), x, acc)
    tl.store(out + rows[:, None] * N + columns[None, :], acc)


# pass: nvidia-branch-warp-roles
# A warp finds its code by its number.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64,64 --warp-specialize on
@triton.jit
def find_role(a, b, q, n, stride_a, stride_b, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * stride_a + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * stride_b + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: canonicalize
# After pipelining, MLIR's own canonicalizer folds what became constant, such as the first iteration's number.
# signature: *fp16:16,*fp32:16,i32,32
@triton.jit
def fold(p, q, n, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(p + k * N * N + i)
        acc = tl.dot(x, x, acc)
    tl.store(q + i, acc)


# pass: ttg-order-global-accesses
# 64 elements have copies in 128 threads. One copy is stored, and all are loaded: threads have to wait for each other.
# signature: *fp32,*fp32,64
@triton.jit
def order(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(p + i, 1.0)
    tl.store(q + i, tl.load(p + i))


# pass: ttg-slice-fma-dots
# A product that no matrix instruction computes goes over K in a loop, and reads slices from shared memory.
# signature: *fp32:16,*fp32:16,*fp32:16,128,128
@triton.jit
def slices(a, b, c, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + ks[None, :])
    y = tl.load(b + ks[:, None] * N + rows[None, :])
    tl.store(c + rows[:, None] * N + rows[None, :], tl.dot(x, y, input_precision="ieee"))


# pass: ttg-buffer-dot-operands
# An operand that takes many registers stays in shared memory, and the product reads it from there, part by part.
# signature: *i8:16,*i8:16,*i32:16,128,64,64 -t cuda:80
@triton.jit
def buffers(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, cols, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + ks[None, :])
    y = tl.load(b + cols[None, :] * K + ks[:, None])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, y, out_dtype=tl.int32))


# pass: nvidia-promote-stores
# The product's tile is written to a buffer, which one thread has copied to where the tile lies. The next tile is computed meanwhile.
# signature: *fp16:16,*fp16:16,i32,i32:16,64,64
@triton.jit
def store_beside(a, c, m, stride, N: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, K)
    out = tl.make_tensor_descriptor(c, [m, N], [stride, 1], [N, N])
    for row in range(0, m, N):
        x = tl.load(a + (row + i)[:, None] * K + k[None, :])
        y = tl.load(a + i[None, :] * K + k[:, None])
        out.store([row, 0], tl.dot(x, y).to(tl.float16))


# pass: nvidia-hoist-descriptors
# The loads of a product became copies by tensor maps. The maps are functions of the kernel's arguments, so the launch builds them.
# signature: *fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64,64
@triton.jit
def hoist_descriptors(a, b, q, n, stride_a, stride_b, N: tl.constexpr, K: tl.constexpr):
    rows, ks = tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(n):
        x = tl.load(a + rows[:, None] * stride_a + (k * K + ks)[None, :])
        y = tl.load(b + (k * K + ks)[:, None] * stride_b + rows[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(q + rows[:, None] * N + rows[None, :], acc)


# pass: nvidia-make-tensor-maps
# The number of rows comes from memory, so the kernel makes the map of its stores.
# signature: *fp16:16,*fp16:16,*i32,i32,i32:16,64,64
@triton.jit
def make_map(a, c, rows, m, stride, N: tl.constexpr, K: tl.constexpr):
    i, k = tl.arange(0, N), tl.arange(0, K)
    out = tl.make_tensor_descriptor(c, [tl.load(rows), N], [stride, 1], [N, N])
    for row in range(0, m, N):
        x = tl.load(a + (row + i)[:, None] * K + k[None, :])
        y = tl.load(a + i[None, :] * K + k[:, None])
        out.store([row, 0], tl.dot(x, y).to(tl.float16))


# pass: ttg-scale-after-max
# The maximum is taken before the elements are scaled by a positive constant, and the difference becomes a fused multiply-add.
# signature: *fp32:16,*fp32:16,1024
@triton.jit
def scaled_max(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(p + i) * 1.5
    tl.store(q + i, tl.exp2(x - tl.max(x, axis=0)))


# pass: ttg-combine-tensor-select-and-if
# A selection by the condition of an `if` becomes a result of that `if`.
# signature: *fp32:16,i32,64
@triton.jit
def select(p, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(p + i), tl.load(p + N + i)
    condition = n > 0
    z = y
    if condition:
        z = x
    if condition:
        tl.store(p + 2 * N + i, x)
    tl.store(p + i, z)


# pass: ttg-assign-access-width
# The analysis of addresses says how many elements one instruction may move.
# signature: *fp32:16,*fp32:16,512
@triton.jit
def widths(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(q + i, tl.load(p + i))


# pass: ttg-pack-elements
# The assembly takes four bytes at once, so one thread must hold all four.
# signature: *i8,*i8,512
@triton.jit
def pack(p, q, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(p + i)
    y = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [x], dtype=tl.int8, is_pure=True, pack=4)
    tl.store(q + i, y)


@triton.jit
def keep_larger(a, b):
    if a > b:
        return a
    return b


# pass: ttg-outline-functions
# The function that combines two elements has a branch, so it becomes a function that the lowering calls.
# signature: *fp32:16,*fp32,64
@triton.jit
def outline(p, q, N: tl.constexpr):
    tl.store(q, tl.reduce(tl.load(p + tl.arange(0, N)), 0, keep_larger))


# pass: convert-scf-to-cf
# Loops become blocks and branches.
# signature: *fp32,i32
@triton.jit
def branches(p, n):
    for i in range(n):
        tl.store(p + i, 1.0)


# pass: ttg-allocate-shared-memory
# The exchange of values between threads in a reduction needs a place in shared memory.
# signature: *fp32:16,*fp32,256
@triton.jit
def allocate(p, q, N: tl.constexpr):
    tl.store(q, tl.sum(tl.load(p + tl.arange(0, N)), 0))


# pass: ttg-insert-barriers
# Every iteration uses the same bytes: before a thread writes to them, all must have read what the iteration before left there.
# signature: *fp32:16,*fp32,i32,256 --num-stages 1
@triton.jit
def barriers(p, q, n, N: tl.constexpr):
    for k in range(n):
        tl.store(q + k, tl.sum(tl.load(p + k * N + tl.arange(0, N)), 0))


# pass: nvidia-fence-async
# Threads wrote an operand to shared memory, and wgmma reads it through another path: a fence makes the writes visible.
# signature: *fp16:16,*fp32:16,64
@triton.jit
def fence(a, c, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(a + i)
    tl.store(c + i, tl.dot(x, x))


# pass: nvidia-convert-ttgir-to-llir
# A tensor of 128 elements over 128 threads is one number in each thread.
# signature: *fp32,128
@triton.jit
def lower(p, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(p + i, tl.load(p + i) + 1.0)


# pass: cpu-carry-offsets
# The loop advances a tensor of pointers; afterwards it carries one number.
# signature: *fp32,*fp32,i32,64 -t cpu
@triton.jit
def carry(p, q, n, N: tl.constexpr):
    at = p + tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for k in range(n):
        total += tl.load(at)
        at += N
    tl.store(q + tl.arange(0, N), total)


# pass: cpu-find-sorting-networks
# The steps of a sort become one op.
# signature: *fp32,16 -t cpu
@triton.jit
def sort(p, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(p + i, tl.sort(tl.load(p + i)))


# pass: cpu-convert-ttir-to-llir
# The function gets a loop over programs, and the tensor of 64 elements a loop over vectors.
# signature: *fp32,64 -t cpu --mcpu haswell
@triton.jit
def lower_for_cpu(p, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(p + i, tl.load(p + i) + 1.0)
