# Trap 24 of the language: `static_range` indices are constants, `range` indices never are
# RUN: tessera compile %s --kernel-name k --signature "*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    t = (1.0, 2.0)
    for i in tl.static_range(2):
        tl.store(p + i, t[i])
    for i in range(2):            # t[i] here would be an error
        tl.store(p + i, 0.0)


# CHECK: arith.constant 2.000000e+00
