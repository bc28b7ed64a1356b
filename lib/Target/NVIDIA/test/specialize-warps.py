# Warps of their own start the copies of tiles (--warp-specialize on), where nothing else than scalars and loops is needed
# for that; a remark names what else is.
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --tma auto --warp-specialize on --num-warps 8 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ACTS
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --tma auto --warp-specialize on --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=FOUR
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --tma auto --warp-specialize off --num-warps 8 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OFF
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --tma off --warp-specialize on --num-warps 8 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OFF
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --tma auto --warp-specialize on --num-warps 8 --no-cache --emit ptx -o - | FileCheck %s --check-prefix=PTX
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,128' --tma auto --warp-specialize on --num-warps 16 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WARPS
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --warp-specialize on --num-warps 8 --maxnreg 128 --no-cache --remarks --emit ptx -o - 2>&1 | FileCheck %s --check-prefix=LIMIT
# RUN: tessera compile %s -n paged -s '*fp16:16,*i32,*fp32:16,i32,i32:16,i32:16' --tma auto --warp-specialize on --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=MEMORY
# RUN: tessera compile %s -n persistent -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,i32:16' --tma auto --warp-specialize on --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=AGAIN
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=CTAS
# RUN: not tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32:16,64' --warp-specialize maybe --no-cache --emit ttgir -o - 2>&1 | FileCheck %s --check-prefix=WORD
# RUN: tessera compile %s -n persistent_chain -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16' --warp-specialize on --num-warps 8 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=KEPT
# RUN: tessera compile %s -n persistent_chain -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16' --warp-specialize on --num-warps 16 --no-cache --remarks --emit llir -o %t 2>&1 | FileCheck %s --check-prefix=BACK
import triton
import triton.language as tl


# Warps that compute would wait for registers that the CTA does not have.
# LIMIT: nvidia-specialize-warps: no warps of their own start the copies of tiles: the limit on registers leaves none to divide
# LIMIT: .maxnreg 128
# LIMIT-NOT: setmaxnreg
# The rings come before the split. One role computes, and releases slots; the other waits for slots and copies.
# ACTS: "ttg.total-num-warps" = 12
# ACTS: tt.func public @product
# ACTS: ttng.init_barrier
# ACTS-NOT: tt.get_program_id
# ACTS: ttg.warp_specialize({{.*}}) attributes {actualRegisters = array<i32: 240, 24>, requestedRegisters = array<i32: 24>, warpGroupStartIds = array<i32: 8>}
# ACTS-NEXT: default {
# ACTS-NOT: async_tma_copy
# ACTS: scf.for
# ACTS: ttng.wait_barrier
# ACTS: ttng.warp_group_dot
# ACTS: ttng.release_slot
# ACTS-NOT: ttng.acquire_slot
# ACTS: tt.store
# ACTS: partition0({{.*}}) num_warps(4) {
# ACTS-NOT: -> tensor<
# ACTS: scf.for
# ACTS: ttng.acquire_slot
# ACTS-NEXT: {{.*}}memdesc_index
# ACTS-NEXT: ttng.barrier_expect
# ACTS: ttng.async_tma_copy_global_to_local
# ACTS-NOT: ttng.wait_barrier
# ACTS: ttg.warp_return
# Two groups of warps leave enough registers to both.
# FOUR: "ttg.total-num-warps" = 8
# FOUR: ttg.warp_specialize({{.*}}) attributes {warpGroupStartIds = array<i32: 4>}
# OFF-NOT: warp_specialize
# OFF: ttng.warp_group_dot
# Barrier 0 is for all threads, barrier 1 for those that compute.
# PTX: .reqntid 384
# PTX: .minnctapersm 1
# PTX: mbarrier.init
# PTX: bar{{(rier)?}}.sync{{.*}} 0;
# PTX: setmaxnreg.inc.sync.aligned.u32 240;
# PTX: wgmma.mma_async
# PTX: setmaxnreg.dec.sync.aligned.u32 24;
# PTX: cp.async.bulk.tensor
# By default only where one CTA fits a multiprocessor: test/run has large tiles.
# CTAS: ttg-assign-latencies: no warps of their own start the copies of tiles: {{[0-9]}} CTAs fit a multiprocessor without them
# CTAS-NOT: nvidia-specialize-warps
# WARPS: nvidia-specialize-warps: no warps of their own start the copies of tiles: the kernel has 16 warps, not 4 or 8
# WORD: unsupported: warp-specialize = maybe; use auto, on or off
@triton.jit
def product(a, b, c, K, sa, sb, N: tl.constexpr):
    rm = tl.program_id(0) * N + tl.arange(0, N)
    rn = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(0, K, 64):
        rk = k + tl.arange(0, 64)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], (rk[None, :] < K), 0.0)
        y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K), 0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * sb + rn[None, :], acc)


# The rows of a tile begin where a table in memory says.
# MEMORY: nvidia-specialize-warps: no warps of their own start the copies of tiles: a start of a copy depends on 'tt.load'
@triton.jit
def paged(a, table, c, n, sa, sc):
    r = tl.arange(0, 64)
    q = tl.load(a + r[:, None] * sa + r[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    for page in range(n):
        first = tl.load(table + page)
        rows = first + r
        k = tl.load(a + rows[:, None] * sa + r[None, :], (rows[:, None] >= 0) & (rows[:, None] < n), 0.0)
        acc = tl.dot(q, k, acc)
    tl.store(c + r[:, None] * sc + r[None, :], acc)


# The warps that copy run ahead into the next tile: its first copies come in front of the inner loop, and wait for nothing else.
# AGAIN: ttg.warp_specialize
# AGAIN: partition0
# AGAIN: scf.for
# AGAIN: ttng.barrier_expect
# AGAIN: scf.for
# AGAIN: ttng.acquire_slot
@triton.jit
def persistent(a, b, c, M, K, sa, sb):
    for tile in range(tl.program_id(0), M // 64, tl.num_programs(0)):
        rm, rn = tile * 64 + tl.arange(0, 64), tl.arange(0, 64)
        acc = tl.zeros((64, 64), tl.float32)
        for k in range(0, K, 64):
            rk = k + tl.arange(0, 64)
            x = tl.load(a + rm[:, None] * sa + rk[None, :], (rk[None, :] < K), 0.0)
            y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K), 0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + rm[:, None] * sb + rn[None, :], acc)


# Rings that loops around a loop keep need warps that copy. Where the kernel cannot have them after all, make_ttgir begins again.
# KEPT: ttg.local_alloc {ttg.spare_slot}
# KEPT: ttg.warp_specialize
# BACK: ttg-pipeline: the load is copied asynchronously
# BACK-NOT: ttg-pipeline:
# BACK: make_ttgir: no warps of their own start the copies of tiles: the kernel has 16 warps, not 4 or 8
# BACK-NOT: ttg-pipeline:
@triton.jit
def persistent_chain(q, k, out, tiles, N):
    r, d = tl.arange(0, 256), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile * 256 + r
        left = tl.load(q + rows[:, None] * 64 + d[None, :])
        acc = tl.zeros((256, 64), tl.float32)
        for start in range(0, N, 64):
            x = tl.load(k + (start + d)[:, None] * 64 + d[None, :])
            acc = tl.dot(tl.exp(tl.dot(left, x.T)).to(tl.float16), x, acc)
        tl.store(out + rows[:, None] * 64 + d[None, :], acc)
