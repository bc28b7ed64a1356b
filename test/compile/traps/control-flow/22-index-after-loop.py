# Trap 22 of the language: The loop index is undefined after the loop
# RUN: tessera compile %s --kernel-name k --signature "*i32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        tl.store(p + i, 0.0)
    tl.store(p, i)     # poison, not n-1


# CHECK: ub.poison : i32
