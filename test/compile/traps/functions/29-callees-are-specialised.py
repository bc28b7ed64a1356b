# Trap 29 of the language: Callees are specialised by literal values
# RUN: tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n run_time -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix RUNTIME
import triton
import triton.language as tl


@triton.jit
def f(w, B: tl.constexpr):
    return tl.arange(0, w)          # legal only if w arrives as a constant


@triton.jit
def k(p, n):
    tl.store(p + f(8, n), 0.0)      # ok: w constexpr; B is a tensor, unchecked


@triton.jit
def run_time(p, n):
    tl.store(p + f(n, 8), 0.0)


# CHECK: tt.make_range {end = 8 : i32
# RUNTIME: error: arange takes compile-time ints, not a run-time scalar i32
# RUNTIME: note: in the call of 'f' here
