# Trap 40 of the language: Constexpr identity in the launch cache
# RUN: tessera compile %s --kernel-name k --signature "*fp32,1" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: tessera compile %s --kernel-name k --signature "*fp32,1.0" --emit ttir -o - | FileCheck %s --check-prefix=CHECK2
# RUN: tessera compile %s --kernel-name k --signature "*fp32,True" --emit ttir -o - | FileCheck %s --check-prefix=CHECK3
import triton
import triton.language as tl


@triton.jit
def k(p, A: tl.constexpr):
    tl.store(p, A / 2)


# CHECK1: 5.000000e-01
# CHECK2: 5.000000e-01
# CHECK3: 5.000000e-01
