# Trap 6 of the language: `tl.cdiv` is run-time, `triton.cdiv` compile-time
# RUN: tessera compile %s -n k -s "*fp32,8" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n run_time -s "*fp32,8" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix TENSOR
# RUN: not tessera compile %s -n compile_time -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix COMPILE
import triton
import triton.language as tl


@triton.jit
def k(p, B: tl.constexpr):
    a = tl.arange(0, triton.cdiv(B, 2))   # ok
    for i in range(tl.cdiv(B, 2)):        # ok as a bound
        tl.store(p + a + i, 0.0)


@triton.jit
def run_time(p, B: tl.constexpr):
    tl.store(p + tl.arange(0, tl.cdiv(B, 2)), 0.0)


@triton.jit
def compile_time(p, n):
    tl.store(p, triton.cdiv(n, 2))


# CHECK: tt.make_range {end = 4 : i32
# CHECK: scf.for
# TENSOR: error: arange takes compile-time ints, not a run-time scalar i32
# COMPILE: error: triton.cdiv takes two compile-time ints
