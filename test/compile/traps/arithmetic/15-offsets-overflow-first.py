# Trap 15 of the language: Offsets overflow before they reach the pointer
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, row, stride):
    a = p + row * stride               # i32 product wraps first
    b = p + row.to(tl.int64) * stride  # correct for big tensors
    tl.store(a, 0.0), tl.store(b, 0.0)


# CHECK: arith.muli {{.*}} : i32
# CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i32
# CHECK: arith.muli {{.*}} : i64
# CHECK: tt.addptr {{.*}} : !tt.ptr<f32>, i64
