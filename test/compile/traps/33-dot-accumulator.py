# Trap 33 of the language: `dot` ties the accumulator to out_dtype, not to the result type
# RUN: tessera compile %s --kernel-name k --signature "*i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    a = tl.full((16, 32), 1, tl.int8)
    b = tl.full((32, 16), 1, tl.int8)
    c = tl.zeros((16, 16), tl.int32)
    c = tl.dot(a, b, c, out_dtype=tl.int32)  # omitting out_dtype is an error
    tl.store(p + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


# CHECK: tt.dot {{.*}} tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
