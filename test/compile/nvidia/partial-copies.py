# A mask that ends inside a copy makes a copy of fewer bytes. One that begins there does not: the copies are of elements, which
# cp.async cannot do for two bytes, and so the loads go to registers.
# RUN: tessera compile %s -n product -s "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,False" --tma off --emit ttgir -o - | FileCheck %s --check-prefix ENDS
# RUN: tessera compile %s -n product -s "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,False" --tma off --emit ptx -o - | FileCheck %s --check-prefix PTX
# RUN: tessera compile %s -n product -s "*fp16:16,*fp16:16,*fp32:16,i32,i32:16,True" --tma off --emit ttgir -o - | FileCheck %s --check-prefix BEGINS
# RUN: tessera compile %s -n product -s "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,False" --tma off --emit ttgir -o - | FileCheck %s --check-prefix WHOLE
# RUN: tessera compile %s -n block -s "*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16" -ns 2 --wgmma off --emit ptx -o - | FileCheck %s --check-prefix ROWS --implicit-check-not=", 2, 0, %p"
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, out_ptr, K, stride, FROM_THE_END: tl.constexpr):
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    total = tl.zeros((64, 64), tl.float32)
    for start in range(0, stride, 64):
        at = start + k
        mask = at >= K if FROM_THE_END else at < K
        a = tl.load(a_ptr + m[:, None] * stride + at[None, :], mask=mask[None, :], other=0.0)
        b = tl.load(b_ptr + at[:, None] * 64 + n[None, :])
        total = tl.dot(a, b, total)
    tl.store(out_ptr + m[:, None] * 64 + n[None, :], total)


# ENDS: scf.for
# ENDS: ttg.async_copy_global_to_local {{.*}} mask {{.*}} {contiguity = 8 : i32, ttg.prefix_mask}

# The bytes are counted element by element.
# PTX:  selp.b32 %r{{[0-9]+}}, 2, 0, %p
# PTX:  cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r

# BEGINS-NOT: ttg.prefix_mask
# BEGINS:     tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>

# Where K is a multiple of 16, a copy is whole or nothing.
# WHOLE-NOT: ttg.prefix_mask
# WHOLE:     ttg.async_copy_global_to_local {{.*}} mask {{.*}} {contiguity = {{8|16}} : i32}
# WHOLE-NOT: ttg.prefix_mask


@triton.jit
def block(a_ptr, b_ptr, out_ptr, M, K, stride):
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    total = tl.zeros((64, 64), tl.float32)
    for start in range(0, stride, 64):
        at = start + k
        a = tl.load(a_ptr + m[:, None] * stride + at[None, :], mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
        b = tl.load(b_ptr + at[:, None] * 64 + n[None, :])
        total = tl.dot(a, b, total)
    tl.store(out_ptr + m[:, None] * 64 + n[None, :], total)


# A thread copies parts of four rows. The bytes of a row are counted once, in both copies before the loop and in that of the
# loop; each row has them or none.
# ROWS-COUNT-8: selp.b32 %r{{[0-9]+}}, 2, 0, %p
# ROWS:         selp.b32 %r{{[0-9]+}}, %r{{[0-9]+}}, 0, %p
# ROWS:         cp.async.commit_group
# ROWS-COUNT-8: selp.b32 %r{{[0-9]+}}, 2, 0, %p
# ROWS:         mma.sync
# ROWS-COUNT-8: selp.b32 %r{{[0-9]+}}, 2, 0, %p
# ROWS:         cp.async.commit_group
