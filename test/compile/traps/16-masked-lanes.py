# Trap 16 of the language: Masked lanes without `other` are garbage
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    i = tl.arange(0, 64)
    a = tl.load(p + i, mask=i < n)             # lanes >= n undefined
    b = tl.load(p + i, mask=i < n, other=0.0)  # lanes >= n are 0
    tl.store(p, tl.sum(b))


# CHECK: tt.load %{{[^,]+}}, %{{[^,]+}}, %
