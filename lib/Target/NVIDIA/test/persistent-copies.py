# RUN: tessera compile %s --signature 'tensordesc<fp16[128,64]>,tensordesc<fp16[64,128]>,*fp16:16,i32:16,i32:16,i32:16,128,128,64,132,1' --target cuda:90 --num-warps 4 --num-stages 4 --no-cache --emit ttgir -o - | FileCheck %s
# RUN: tessera compile %s --signature 'tensordesc<fp16[128,64]>,tensordesc<fp16[64,128]>,*fp16:16,i32:16,i32:16,i32:16,128,128,64,132,1' --target cuda:90 --num-warps 4 --num-stages 4 --no-cache --warp-specialize off --emit ttgir -o - | FileCheck %s --check-prefix=FUSED

# Of programs that walk over tiles there are as many as multiprocessors. So all of the shared memory is for one of them, and a
# warp of its own runs ahead with the copies, from tile to tile. A nest with flatten stays a nest then: that warp starts the
# next tile's copies during the epilogue.

# CHECK:     ttg.local_alloc {{.*}} !ttg.memdesc<5x128x64xf16
# CHECK:     ttg.warp_specialize
# CHECK:     scf.for {{.*}} : i32
# CHECK:       scf.for {{.*}} : i32 {
# CHECK:         ttng.warp_group_dot

# FUSED-NOT: ttg.warp_specialize
# FUSED:     scf.for {{.*}} : i64 {

import triton
import triton.language as tl


@triton.jit
def persistent(a, b, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, PROGRAMS, flatten=FLATTEN):
        m = tile // tiles_n * BM
        n = tile % tiles_n * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
        rows, columns = m + tl.arange(0, BM), n + tl.arange(0, BN)
        tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))
