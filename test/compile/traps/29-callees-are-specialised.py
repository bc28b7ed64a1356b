# Trap 29 of the language: Callees are specialised by literal values
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def f(w, B: tl.constexpr):
    return tl.arange(0, w)          # legal only if w arrives as a constant


@triton.jit
def k(p, n):
    tl.store(p + f(8, n), 0.0)      # ok: w constexpr; B is a tensor, unchecked


# CHECK: tt.make_range {end = 8 : i32
