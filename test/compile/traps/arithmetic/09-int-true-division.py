# Trap 9 of the language: Integer true division is single precision
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    q = n.to(tl.int64) / 3
    tl.static_assert(q.dtype == tl.float32)
    tl.store(p, q)


# CHECK: arith.sitofp {{.*}} : i64 to f32
# CHECK: arith.divf {{.*}} : f32
