# Trap 35 of the language: softmax/broadcast axis trap
# RUN: tessera compile %s --kernel-name k --signature "*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.zeros((8, 8), tl.float32)
    good = tl.softmax(x, 1, keep_dims=True)
    bad = x - tl.max(x, 1)          # (8,) is treated as a ROW: silently wrong
    tl.store(p, tl.sum(good + bad))


# CHECK: tt.reduce
