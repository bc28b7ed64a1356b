# tl.zeros, tl.zeros_like, tl.ravel, tl.interleave in TTIR.
# RUN: tessera compile %s -n shapes -s "*fp16" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n scalars -s "*fp32,fp32,fp32" --emit ttir -o - | FileCheck %s --check-prefix SCALARS
import triton
import triton.language as tl


@triton.jit
def shapes(p):
    at = tl.reshape(tl.arange(0, 32), [4, 8])
    x = tl.load(p + at)
    tl.store(p + at, tl.zeros([4, 8], tl.float16))
    tl.store(p + tl.arange(0, 32), tl.ravel(x))
    tl.store(p + tl.arange(0, 32), x.ravel(can_reorder=True))
    wide = tl.interleave(x, tl.zeros_like(x))
    tl.store(p + tl.reshape(tl.arange(0, 64), [4, 16]), wide)


# CHECK-LABEL: tt.func public @shapes
# CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<4x8xf16>
# CHECK-DAG:     %[[X:.+]] = tt.load
# CHECK:         tt.store %{{.+}}, %[[ZERO]]
# CHECK:         %[[FLAT:.+]] = tt.reshape %[[X]] : tensor<4x8xf16> -> tensor<32xf16>
# CHECK-NEXT:    tt.store %{{.+}}, %[[FLAT]]
# CHECK:         %[[ANY:.+]] = tt.reshape %[[X]] allow_reorder : tensor<4x8xf16> -> tensor<32xf16>
# CHECK-NEXT:    tt.store %{{.+}}, %[[ANY]]
# CHECK:         %[[PAIRS:.+]] = tt.join %[[X]], %[[ZERO]] : tensor<4x8xf16> -> tensor<4x8x2xf16>
# CHECK-NEXT:    %[[WIDE:.+]] = tt.reshape %[[PAIRS]] : tensor<4x8x2xf16> -> tensor<4x16xf16>
# CHECK:         tt.store %{{.+}}, %[[WIDE]]


@triton.jit
def scalars(p, a, b):
    tl.store(p + tl.arange(0, 2), tl.interleave(a, b))
    tl.store(p, tl.zeros((), tl.float32))


# SCALARS-LABEL: tt.func public @scalars
# SCALARS:         tt.join %{{.+}}, %{{.+}} : tensor<1xf32> -> tensor<1x2xf32>
# SCALARS-NEXT:    tt.reshape %{{.+}} : tensor<1x2xf32> -> tensor<2xf32>
