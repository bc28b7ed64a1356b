# Trap 14 of the language: Literals are range-checked in arithmetic, not in comparisons
# RUN: not tessera compile %s --kernel-name k --signature "*u8" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    u = tl.full((8,), 3, tl.uint8)
    tl.store(p + tl.arange(0, 8), u < 300)   # fine: compared as int32
    tl.store(p + tl.arange(0, 8), u + 300)   # ValueError


# CHECK: the value 300 does not fit
