# Trap 32 of the language: Tuple arguments mix constants and tensors
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32,1" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def f(p, strides):
    tl.static_assert(strides[1] == 1)
    s0, s1 = strides  # decays: s1 is now a tensor
    tl.store(p + s0 * 2 + s1, 0.0)


@triton.jit
def k(p, n, one: tl.constexpr):
    f(p, (n, one))


# CHECK: tt.return
