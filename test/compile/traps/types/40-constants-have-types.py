# Trap 40 of the language: Constexpr identity in the launch cache
# RUN: tessera compile %s -n k -s "*fp32,1" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n k -s "*fp32,1.0" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n k -s "*fp32,True" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n which -s "*i32,1" --emit ttir -o - | FileCheck %s --check-prefix INT
# RUN: tessera compile %s -n which -s "*i32,1.0" --emit ttir -o - | FileCheck %s --check-prefix FLOAT
# RUN: tessera compile %s -n which -s "*i32,True" --emit ttir -o - | FileCheck %s --check-prefix BOOL
import triton
import triton.language as tl


@triton.jit
def k(p, A: tl.constexpr):
    tl.store(p, A / 2)


@triton.jit
def which(p, A: tl.constexpr):
    if A is True:
        tl.store(p, 3)
    elif isinstance(A, int):
        tl.store(p, 4)
    else:
        tl.store(p, 5)


# CHECK: arith.constant 5.000000e-01 : f32
# INT: arith.constant 4 : i32
# FLOAT: arith.constant 5 : i32
# BOOL: arith.constant 3 : i32
