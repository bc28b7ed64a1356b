# Trap 21 of the language: Names born in one branch die at the join
# RUN: not tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    if n > 3:
        v = 1.0
    tl.store(p, v)


# CHECK: 'v' is not defined here: it is assigned only inside one branch of an 'if'
