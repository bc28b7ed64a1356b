# RUN: tessera compile %s --kernel-name attend --signature '*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,64,64' --target cuda:90 --num-warps 4 --num-stages 3 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=CHAIN
# RUN: tessera compile %s --kernel-name attend --signature '*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,64,64' --target cuda:90 --num-warps 4 --num-stages 3 --tma off --no-cache --emit ptx -o - | FileCheck %s --check-prefix=PTX
# RUN: tessera compile %s --kernel-name product --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,256,64' --target cuda:90 --num-warps 8 --num-stages 4 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=MANY
# RUN: tessera compile %s --kernel-name product --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64' --target cuda:90 --num-warps 4 --num-stages 3 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=FEW
# RUN: tessera compile %s --kernel-name recurrence --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,64,64,64' --target cuda:90 --num-warps 4 --num-stages 3 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=SERIAL
# RUN: tessera compile %s --kernel-name recurrence --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,128,128,64' --target cuda:90 --num-warps 4 --num-stages 3 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %s --kernel-name recurrence --signature '*fp16:16,*fp16:16,*fp16:16,i32:16,64,64,64,1' --target cuda:90 --num-warps 4 --num-stages 3 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=SUM

# An iteration that waits for its first dot starts the copies of later iterations behind that dot. The dot of the iteration
# before may still read its values, so these have a spare slot, and there is one barrier in the loop.
# CHAIN: ttg.local_alloc {ttg.spare_slot} {{.*}}memdesc<3x64x64xf16
# CHAIN: scf.for
# CHAIN: ttg.async_wait {num = 0
# CHAIN: ttng.warp_group_dot %
# CHAIN: ttg.async_copy_global_to_local
# CHAIN: ttg.async_copy_global_to_local
# CHAIN: ttg.async_commit_group
# CHAIN: ttng.warp_group_dot_wait {{.*}}pendings = 0
# CHAIN: ttng.warp_group_dot %
# CHAIN: scf.yield

# PTX: cp.async.wait_group
# PTX: fence.proxy.async
# PTX: bar.sync
# PTX: wgmma.mma_async
# PTX-NOT: bar.sync
# PTX: cp.async.cg.shared.global
# PTX-NOT: bar.sync
# PTX: wgmma.wait_group.sync.aligned 0
# PTX-NOT: bar.sync
# PTX: wgmma.mma_async
# PTX-NOT: bar.sync
# PTX: bra

# A loop that only adds products up has a spare slot if there are four; with three, two of them are under way instead, and
# the copies come last.
# MANY: ttg.local_alloc {ttg.spare_slot} {{.*}}memdesc<4x
# MANY: scf.for
# MANY: ttng.warp_group_dot %
# MANY: ttg.async_copy_global_to_local
# MANY: ttng.warp_group_dot_wait {{.*}}pendings = 1
# FEW: ttg.local_alloc {ttg.refilled_last} {{.*}}memdesc<3x
# FEW: scf.for
# FEW: ttng.warp_group_dot %
# FEW: ttng.warp_group_dot_wait {{.*}}pendings = 1
# FEW: ttg.async_copy_global_to_local
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, out_ptr, count, ROWS: tl.constexpr, D: tl.constexpr):
    place = tl.arange(0, ROWS)[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + place)
    acc = tl.zeros((ROWS, D), tl.float32)
    for i in range(0, count, ROWS):
        k = tl.load(k_ptr + i * D + place)
        v = tl.load(v_ptr + i * D + place)
        acc = tl.dot(tl.exp2(tl.dot(q, tl.trans(k))).to(tl.float16), v, acc * 0.5)
    tl.store(out_ptr + place, acc.to(tl.float16))


@triton.jit
def product(a_ptr, b_ptr, c_ptr, K, stride_a, stride_b, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    acc = tl.zeros((M, N), tl.float32)
    for i in range(0, K, STEP):
        a = tl.load(a_ptr + m[:, None] * stride_a + (i + k)[None, :])
        b = tl.load(b_ptr + (i + k)[:, None] * stride_b + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16))


# A recurrence that waits for its only dot has one more tile under way, although fewer CTAs then fit, but not if one would be
# left. Nor has a loop that only adds products up, for which other CTAs compute meanwhile.
# SERIAL-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
# SERIAL: ttg.async_wait {num = 1
# SUM-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
# SUM: ttg.async_wait {num = 0
# WIDE: ttg.local_alloc : () -> !ttg.memdesc<2x128x128xf16
# WIDE: ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16
# WIDE: ttg.async_wait {num = 0
@triton.jit
def recurrence(k_ptr, v_ptr, out_ptr, count, ROWS: tl.constexpr, K: tl.constexpr, V: tl.constexpr, SCALE: tl.constexpr = 0.5):
    rows, keys, values = tl.arange(0, ROWS)[:, None], tl.arange(0, K), tl.arange(0, V)[None, :]
    state = tl.zeros((K, V), tl.float32)
    for i in range(0, count, ROWS):
        if SCALE != 1:
            tl.store(out_ptr + i * K * V + keys[:, None] * V + values, state.to(tl.float16))
        k = tl.load(k_ptr + (i + rows) * K + keys[None, :])
        v = tl.load(v_ptr + (i + rows) * V + values)
        state = (state if SCALE == 1 else state * SCALE) + tl.dot(tl.trans(k), (v * 3.0).to(tl.float16))
    tl.store(out_ptr + count * K * V + keys[:, None] * V + values, state.to(tl.float16))
