# RUN: tessera compile %s --kernel-name persistent --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64,8,132,1' --target cuda:80 --num-warps 8 --num-stages 3 --no-cache --emit ttgir -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name persistent --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64,8,132,0' --target cuda:80 --num-warps 8 --num-stages 3 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=NEST

# With flatten one loop computes all tiles of a program. It computes the place of the next tile and starts its
# copies while the last one's product ends; a tile that does not exist divides by nothing. Copies are 16 bytes
# wide, the first operands of a product are read before the product before it ends, and no tensor crosses the
# stages for the sake of the store.

# CHECK: scf.if
# CHECK: scf.for {{.*}} : i64 {
# CHECK:   ttg.memdesc_subslice
# CHECK:   tt.dot
# CHECK:   %[[EXISTS:.*]] = arith.cmpi slt, {{.*}} : i64
# CHECK:   ttg.async_wait
# CHECK:   %[[BOTH:.*]] = arith.andi %{{.*}}, %[[EXISTS]] : i1
# CHECK:   scf.if %[[BOTH]]
# CHECK:     arith.divsi
# CHECK:   } else {
# CHECK:   ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<128x64x
# CHECK:   ttg.async_copy_global_to_local {{.*}} {contiguity = 8 : i32} : tensor<64x128x
# CHECK:   ttg.local_load
# CHECK:   tt.dot
# CHECK:   scf.if
# CHECK:     tt.store

# NEST: scf.for {{.*}} : i32 {
# NEST:   scf.for {{.*}} : i32 {
# NEST:     tt.dot
# NEST:   tt.store

import triton
import triton.language as tl


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=FLATTEN):
        first = tile // (GROUP * tiles_n) * GROUP
        rows = min(tiles_m - first, GROUP)
        m = (first + tile % rows) * BM + tl.arange(0, BM)
        n = tile % (GROUP * tiles_n) // rows * BN + tl.arange(0, BN)
        a_ptrs = a_ptr + (m % M)[:, None] * K + tl.arange(0, BK)[None, :]
        b_ptrs = b_ptr + tl.arange(0, BK)[:, None] * N + (n % N)[None, :]
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            left = K - k
            a = tl.load(a_ptrs, mask=tl.arange(0, BK)[None, :] < left, other=0.0)
            b = tl.load(b_ptrs, mask=tl.arange(0, BK)[:, None] < left, other=0.0)
            acc = tl.dot(a, b, acc)
            a_ptrs += BK
            b_ptrs += BK * N
        tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))
