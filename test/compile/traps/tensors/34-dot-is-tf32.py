# Trap 34 of the language: fp32 dot is TF32 by default
# RUN: tessera compile %s -n k -s "*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    a = tl.full((16, 16), 1.0, tl.float32)
    c = tl.dot(a, a)                            # tf32 on tensor cores
    d = tl.dot(a, a, input_precision="ieee")    # full fp32
    tl.store(p, tl.sum(c - d))


# CHECK: tt.dot {{.*}} inputPrecision = tf32 :
# CHECK: tt.dot %{{[^:]+[^2]}} : tensor<16x16xf32> * tensor<16x16xf32>
