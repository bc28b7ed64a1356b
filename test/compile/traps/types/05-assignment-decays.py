# Trap 5 of the language: Plain assignment turns constants into tensors
# RUN: tessera compile %s -n k -s "*fp32,8" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n decayed -s "*fp32,8" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix DECAYED
# RUN: not tessera compile %s -n decayed_shape -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix SHAPE
import triton
import triton.language as tl


@triton.jit
def k(p, B: tl.constexpr):
    M = B * 2                 # i32 tensor
    N: tl.constexpr = B * 2   # still constexpr
    tl.store(p + tl.arange(0, N), tl.zeros((N,), tl.float32) + M)


@triton.jit
def decayed(p, B: tl.constexpr):
    M = B * 2
    tl.store(p + tl.arange(0, M), 0.0)


@triton.jit
def decayed_shape(p):
    s = (4, 4)
    tl.store(p, tl.sum(tl.full(s, 1.0, tl.float32)))


# CHECK: tt.make_range {end = 16 : i32
# DECAYED: error: arange takes compile-time ints, not a run-time scalar i32
# SHAPE: error: a shape is made of compile-time ints, not of a run-time scalar i32
