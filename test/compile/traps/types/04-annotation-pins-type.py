# Trap 4 of the language: `n: int` changes specialisation
# RUN: tessera compile %s -n k -s "*i32,i32" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n free -s "*i32,i32:1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix FREE
import triton
import triton.language as tl


@triton.jit
def k(p, n: int):
    tl.static_assert(isinstance(n, tl.tensor))
    tl.store(p, n)


@triton.jit
def free(p, n):
    tl.static_assert(isinstance(n, tl.tensor))
    tl.store(p, n)


# CHECK: tt.store %p, %n
# FREE: error: static assertion failed
