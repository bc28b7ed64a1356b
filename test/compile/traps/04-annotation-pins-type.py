# Trap 4 of the language: `n: int` changes specialisation
# RUN: tessera compile %s --kernel-name k --signature "*i32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n: int):
    tl.static_assert(isinstance(n, tl.tensor))
    tl.store(p, n)


# CHECK: tt.store %p, %n
