# Trap 27 of the language: No early exit from loops
# RUN: not tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            return


# CHECK: a 'return' inside a loop is not part of the kernel language
