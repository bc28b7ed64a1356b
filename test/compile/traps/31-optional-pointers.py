# Trap 31 of the language: Optional pointers are resolved at compile time
# RUN: tessera compile %s --kernel-name k --signature "*fp32,None" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: tessera compile %s --kernel-name k --signature "*fp32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=CHECK2
import triton
import triton.language as tl


@triton.jit
def k(x, bias):
    v = tl.load(x)
    if bias is not None:
        v += tl.load(bias)
    tl.store(x, v)


# CHECK1-NOT: arith.addf
# CHECK1: tt.store
# CHECK2: arith.addf
