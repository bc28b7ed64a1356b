# Functions of libdevice: the arguments' types pick the symbol (appendix A of the language's specification).
# RUN: tessera compile %s -n calls -s "*fp32,*fp64,*i32,*u32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice


@triton.jit
def show(x):
    tl.device_print("x", x)


@triton.jit
def calls(p, dp, q, u):
    i = tl.arange(0, 16)
    x, d, n, m = tl.load(p + i), tl.load(dp + i), tl.load(q + i), tl.load(u + i)
    show(libdevice.tanh(x))
    show(libdevice.tanh(d))
    show(libdevice.pow(x, 2))
    show(libdevice.pow(x, 2.0))
    show(tl.extra.cuda.libdevice.mulhi(n, n))
    show(cuda_libdevice.mulhi(m, m))
    show(libdevice.norm4d(x, x[:, None], 1.0, 2.0))
    show(libdevice.isnan(x))
    show(libdevice.float2uint_rz(tl.load(p)))


# CHECK-LABEL: tt.func public @calls
# CHECK:         tt.extern_elementwise %{{.+}} {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<16xf32>) -> tensor<16xf32>
# CHECK:         tt.extern_elementwise %{{.+}} {{.*}} symbol = "__nv_tanh"} : (tensor<16xf64>) -> tensor<16xf64>
# A number has its natural type: an integer exponent is another function than a float one.
# CHECK:         tt.extern_elementwise %{{.+}}, %{{.+}} {{.*}} symbol = "__nv_powif"} : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
# CHECK:         tt.extern_elementwise %{{.+}}, %{{.+}} {{.*}} symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
# CHECK:         tt.extern_elementwise %{{.+}}, %{{.+}} {{.*}} symbol = "__nv_mulhi"}
# CHECK:         tt.extern_elementwise %{{.+}}, %{{.+}} {{.*}} symbol = "__nv_umulhi"}
# CHECK:         tt.extern_elementwise %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {{.*}} symbol = "__nv_norm4df"} : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
# The answer of a test is a bool.
# CHECK:         %[[ANSWER:.+]] = tt.extern_elementwise %{{.+}} {{.*}} symbol = "__nv_isnanf"} : (tensor<16xf32>) -> tensor<16xi32>
# CHECK:         arith.cmpi ne, %[[ANSWER]], %{{.+}} : tensor<16xi32>
# CHECK:         tt.extern_elementwise %{{.+}} {{.*}} symbol = "__nv_float2uint_rz"} : (f32) -> i32
