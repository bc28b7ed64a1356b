# tl.constexpr around a function: a plain one runs while kernels are compiled, a jit function stays one.
# RUN: tessera compile %s -n k -s "*fp32,*fp64" --emit ttir -o - | FileCheck %s
# CHECK: arith.constant 5.120000e+02 : f64
# CHECK: arith.extf {{.*}} : f32 to f64
# CHECK-NOT: tt.call
import triton
import triton.language as tl


@tl.constexpr
def wider(dtype):
    return tl.float64 if dtype == tl.float32 else tl.int64


def four_times(n):
    return 4 * n


@triton.jit
def scaled(x, factor):
    return x * factor


BLOCK = tl.constexpr(128)
QUADRUPLE = tl.constexpr(four_times)
SCALED = tl.constexpr(scaled)


@triton.jit
def k(x_ptr, y_ptr):
    wide: tl.constexpr = wider(x_ptr.dtype.element_ty)
    tl.store(y_ptr, SCALED(tl.load(x_ptr).to(wide), QUADRUPLE(BLOCK)))
