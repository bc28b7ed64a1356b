# A promise about a value that a loop carries informs the loads through it, in every iteration and in those that the
# pipeline starts ahead of the loop: 16 bytes a copy, where nothing else is known of addresses that come from memory.
# RUN: tessera compile %s -n grouped -s "*i64:16,*i32:16,i32,128,128,32" --num-stages 3 --wgmma off --emit ttgir -o - | FileCheck %s --check-prefix GPU
# RUN: tessera compile %s -n grouped -s "*i64:16,*i32:16,i32,128,128,32" --num-stages 3 --wgmma off --emit ptx -o - | FileCheck %s --check-prefix PTX
# RUN: tessera compile %s -n grouped -s "*i64:16,*i32:16,i32,128,128,32" --target cpu --emit ttir -o - | FileCheck %s --check-prefix CPU
# RUN: tessera compile %s -n after_the_loop -s "*fp32,*fp32,i32,i32" --emit ptx -o - | FileCheck %s --check-prefix AFTER
# RUN: tessera compile %s -n one_of_two -s "*fp32,*fp32,i32,i32" --emit ptx -o - | FileCheck %s --check-prefix HALF
import triton
import triton.language as tl


@triton.jit
def grouped(addresses, sizes, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    for g in range(n):
        k = tl.load(sizes + g * 3)
        lda = tl.load(sizes + g * 3 + 1)
        ldb = tl.load(sizes + g * 3 + 2)
        tile = tl.program_id(0)
        while tile < k:
            a_ptr = tl.load(addresses + g * 3).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(addresses + g * 3 + 1).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(addresses + g * 3 + 2).to(tl.pointer_type(tl.float16))
            row, column, kk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
            a_ptrs = a_ptr + row[:, None] * lda + kk[None, :]
            b_ptrs = b_ptr + kk[:, None] * ldb + column[None, :]
            acc = tl.zeros((M, N), tl.float32)
            for step in range(0, tl.cdiv(k, K)):
                tl.multiple_of(a_ptrs, [16, 16])
                tl.multiple_of(b_ptrs, [16, 16])
                acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
                a_ptrs += K
                b_ptrs += K * ldb
            tl.store(c_ptr + row[:, None] * N + column[None, :], acc.to(tl.float16))
            tile += tl.num_programs(0)


# Two tiles are copied before the loop, one in each iteration.
# GPU:     ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<128x32x!tt.ptr<f16>
# GPU:     ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<32x128x!tt.ptr<f16>
# GPU:     ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<128x32x!tt.ptr<f16>
# GPU:     ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<32x128x!tt.ptr<f16>
# GPU:     scf.for
# GPU:     ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<128x32x!tt.ptr<f16>
# GPU:     ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<32x128x!tt.ptr<f16>
# GPU-NOT: tt.load {{.*}} : tensor<{{.*}}xf16

# PTX-COUNT-24: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
# PTX-NOT:      cp.async.{{c[ag]}}

# The CPU does not ask for promises.
# CPU:     tt.load
# CPU-NOT: tt.bitcast


@triton.jit
def after_the_loop(x, out, n, step):
    """The promise is about what the loop reads: a loop of no iterations promises nothing."""
    at = x + tl.arange(0, 512)
    total = tl.zeros((512, ), tl.float32)
    for i in range(n):
        tl.multiple_of(at, 16)
        total += tl.load(at)
        at += step
    tl.store(out + tl.arange(0, 512), total)
    tl.store(out + n, tl.sum(tl.load(at)))


# AFTER:     .entry
# AFTER:     ld.global.v4.b32
# AFTER-NOT: ld.global.v4.b32
# AFTER:     ld.global.b32
# AFTER-NOT: ld.global.v4.b32


@triton.jit
def two(x, i, step):
    return x + i * step, x - i * step


@triton.jit
def one_of_two(x, out, n, step):
    """A call has two results, and the promise is about one of them."""
    i = tl.arange(0, 512)
    left, right = two(x, n, step)
    tl.multiple_of(left, 16)
    tl.store(out + i, tl.load(left + i) + tl.load(right + i))


# HALF:     .entry
# HALF:     ld.global.v4.b32
# HALF-NOT: ld.global.v4.b32
# HALF:     ld.global.b32
# HALF-NOT: ld.global.v4.b32
