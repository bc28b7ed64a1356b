# Trap 28 of the language: Missing return is poison, not None
# RUN: tessera compile %s -n k -s "*i32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def f(x):
    if x > 0:
        return x


@triton.jit
def k(p, n):
    tl.store(p, f(n))


# Nobody may read what f leaves undefined, so the check itself goes.
# CHECK-NOT: scf.if
# CHECK: tt.store %p, %n
