# Trap 5 of the language: Plain assignment turns constants into tensors
# RUN: tessera compile %s --kernel-name k --signature "*fp32,8" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, B: tl.constexpr):
    M = B * 2                 # i32 tensor
    N: tl.constexpr = B * 2   # still constexpr
    tl.store(p + tl.arange(0, N), tl.zeros((N,), tl.float32) + M)


# CHECK: tensor<16xf32>
