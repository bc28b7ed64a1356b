# Trap 30 of the language: Globals
# RUN: tessera compile %s --kernel-name k --signature "*fp32" --emit ttir -o - | FileCheck %s
import math

import triton
import triton.language as tl


K = tl.constexpr(8)


@triton.jit
def k(p):
    tl.store(p + tl.arange(0, K), math.pi)


# CHECK: 3.14159
