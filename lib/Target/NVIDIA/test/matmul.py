# RUN: tessera compile %s --kernel-name matmul --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,128,128,64,0' --target cuda:90 --num-warps 4 --wgmma off --no-cache --emit ttgir -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name matmul --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,128,128,64,1' --target cuda:90 --num-warps 4 --wgmma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=TRANS
# RUN: tessera compile %s --kernel-name matmul --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,128,128,64,1' --target cuda:90 --num-warps 4 --wgmma off --no-cache --emit ptx -o - | FileCheck %s --check-prefix=PTX
# RUN: tessera compile %s --kernel-name matmul --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,128,128,64,1' --target cuda:90 --num-warps 4 --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=GROUP
# RUN: tessera compile %s --kernel-name matmul --signature '*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,i32:16,i32:16,128,128,64,1' --target cuda:90 --num-warps 4 --tma off --no-cache --emit ptx -o - | FileCheck %s --check-prefix=WGMMA

# With wgmma, the unit reads what was copied, transposed or not. Copies come last: one barrier for
# what they brought, one before they overwrite what the unit read.

# GROUP: scf.for
# GROUP-NOT: ttg.local_load
# GROUP: ttg.async_wait
# GROUP: ttg.memdesc_trans
# GROUP: ttng.warp_group_dot {{.*}}isAsync = true
# GROUP: ttng.warp_group_dot_wait {{.*}}pendings = 1
# GROUP: ttg.async_copy_global_to_local
# GROUP: scf.yield

# WGMMA: cp.async.wait_group
# WGMMA: fence.proxy.async.shared::cta
# WGMMA: bar.sync
# WGMMA-NOT: cp.async.cg.shared.global
# WGMMA: wgmma.fence.sync.aligned
# WGMMA-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
# WGMMA: wgmma.commit_group.sync.aligned
# WGMMA: wgmma.wait_group.sync.aligned 1
# WGMMA: bar.sync
# WGMMA: cp.async.cg.shared.global

# With mma.sync, operands are copied to shared memory and read from there as the tensor cores want them; in the
# loop nothing is converted.

# CHECK: scf.for
# CHECK-NOT: ttg.convert_layout
# CHECK-DAG: ttg.async_copy_global_to_local
# CHECK-DAG: ttg.local_load {{.*}} -> tensor<128x{{.*}}xf16, #ttg.dot_op<{opIdx = 0
# CHECK-DAG: ttg.local_load {{.*}} -> tensor<{{.*}}x128xf16, #ttg.dot_op<{opIdx = 1
# CHECK-DAG: tt.dot
# CHECK: scf.yield

# A transposed operand costs nothing more: it is read in the layout that becomes the operand's.

# TRANS: scf.for
# TRANS-NOT: ttg.convert_layout
# TRANS: tt.trans {{.*}} -> tensor<{{.*}}x128xf16, #ttg.dot_op<{opIdx = 1
# TRANS: scf.yield

# PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, K, stride_a, stride_b, stride_c, M: tl.constexpr, N: tl.constexpr,
           BLOCK: tl.constexpr, TRANSPOSED: tl.constexpr):
    rm, rn, rk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    a = a_ptr + rm[:, None] * stride_a + rk[None, :]
    if TRANSPOSED:
        b = b_ptr + rn[:, None] * stride_b + rk[None, :]
    else:
        b = b_ptr + rk[:, None] * stride_b + rn[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        left, right = tl.load(a), tl.load(b)
        if TRANSPOSED:
            right = right.T
        acc = tl.dot(left, right, acc)
        a += BLOCK
        b += BLOCK if TRANSPOSED else BLOCK * stride_b
    tl.store(c_ptr + rm[:, None] * stride_c + rn[None, :], acc)
