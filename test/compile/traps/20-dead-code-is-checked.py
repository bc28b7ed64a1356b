# Trap 20 of the language: Dead code after a constexpr return is still checked
# RUN: not tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def f(x, W: tl.constexpr):
    if W:
        return x.to(tl.float32)
    return x


@triton.jit
def k(p, n):
    tl.store(p, f(n, True))


# CHECK: this returns i32, and another 'return' of the function fp32
