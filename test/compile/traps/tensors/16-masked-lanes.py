# Trap 16 of the language: Masked lanes without `other` are garbage
# RUN: tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n no_mask -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix NOMASK
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    i = tl.arange(0, 64)
    a = tl.load(p + i, mask=i < n)             # lanes >= n undefined
    b = tl.load(p + i, mask=i < n, other=0.0)  # lanes >= n are 0
    tl.store(p, tl.sum(b))


@triton.jit
def no_mask(p):
    tl.store(p, tl.load(p, other=0.0))


# CHECK: tt.load %{{[^,]+}}, %{{[^,]+}}, %{{.+}} : tensor<64x!tt.ptr<f32>>
# NOMASK: error: {{.*}}other{{.*}}mask
