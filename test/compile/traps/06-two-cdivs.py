# Trap 6 of the language: `tl.cdiv` is run-time, `triton.cdiv` compile-time
# RUN: tessera compile %s --kernel-name k --signature "*fp32,8" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, B: tl.constexpr):
    a = tl.arange(0, triton.cdiv(B, 2))   # ok
    for i in range(tl.cdiv(B, 2)):        # ok as a bound
        tl.store(p + a + i, 0.0)


# CHECK: scf.for
