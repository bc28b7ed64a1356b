# Trap 30 of the language: Globals
# RUN: tessera compile %s -n k -s "*fp32" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n plain -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix PLAIN
# RUN: not tessera compile %s -n annotated -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix NOCONST
import math

import triton
import triton.language as tl


K = tl.constexpr(8)


@triton.jit
def k(p):
    tl.store(p + tl.arange(0, K), math.pi)


PLAIN = 8
ANNOTATED: tl.constexpr = 8


@triton.jit
def plain(p):
    tl.store(p + tl.arange(0, PLAIN), 0.0)


@triton.jit
def annotated(p):
    tl.store(p + tl.arange(0, ANNOTATED), 0.0)


# CHECK: dense<3.14159274> : tensor<8xf32>
# PLAIN: error: 'PLAIN' cannot be used in a kernel
# NOCONST: error: 'ANNOTATED' cannot be used in a kernel
