# Trap 35 of the language: softmax/broadcast axis trap
# RUN: tessera compile %s -n k -s "*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.load(p + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8))
    good = tl.softmax(x, 1, keep_dims=True)
    bad = x - tl.max(x, 1)          # (8,) is treated as a ROW: silently wrong
    tl.store(p, tl.sum(good + bad))


# CHECK: %[[MAX:.+]] = "tt.reduce"
# CHECK: tt.expand_dims %{{.+}} {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
# CHECK: tt.expand_dims %{{.+}} {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
