# Trap 2 of the language: and cannot be mutated in a loop
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: not tessera compile %s --kernel-name k --signature "*fp32,i32:1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=CHECK2
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    while n > 0:
        tl.atomic_add(p, 1.0)
        n -= 1


# CHECK1: scf.while
# CHECK2: 'n' is the int 1 before the loop
