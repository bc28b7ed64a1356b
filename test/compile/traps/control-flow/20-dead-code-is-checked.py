# Trap 20 of the language: Dead code after a constexpr return is still checked
# RUN: not tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
# RUN: tessera compile %s -n k2 -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix ELSE
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


@triton.jit
def g(x, W: tl.constexpr):
    if W:
        return x.to(tl.float32)
    else:
        return x


@triton.jit
def k2(p, n):
    tl.store(p, g(n, True))


# CHECK: :5: error: this returns i32, and another 'return' of the function fp32
# CHECK: :9: note: the other 'return'
# CHECK: :17: note: in the call of 'f' here
# ELSE: arith.sitofp
