# Trap 19 of the language: Signed zero is lost
# RUN: tessera compile %s --kernel-name k --signature "*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    z = tl.load(p)               # +0.0
    tl.store(p + 1, -z)          # +0.0: negation is 0 - z
    tl.store(p + 2, -0.0)        # +0.0: zero constants lose their sign


# CHECK: arith.subf %cst, 
