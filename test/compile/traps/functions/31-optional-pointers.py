# Trap 31 of the language: Optional pointers are resolved at compile time
# RUN: tessera compile %s -n k -s "*fp32,None" --emit ttir -o - | FileCheck %s --check-prefix NONE
# RUN: tessera compile %s -n k -s "*fp32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix BIAS
# RUN: not tessera compile %s -n equal -s "*fp32,*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix EQUAL
import triton
import triton.language as tl


@triton.jit
def k(x, bias):
    v = tl.load(x)
    if bias is not None:
        v += tl.load(bias)
    tl.store(x, v)


@triton.jit
def equal(x, bias):
    if bias == None:
        tl.store(x, 0.0)


# NONE-NOT: arith.addf
# NONE: tt.store
# BIAS: arith.addf
# EQUAL: error: operator '==' does not take a run-time scalar *fp32 and None; 'is None' asks whether an argument was given
