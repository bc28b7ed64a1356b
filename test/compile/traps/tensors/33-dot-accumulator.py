# Trap 33 of the language: `dot` ties the accumulator to out_dtype, not to the result type
# RUN: tessera compile %s -n k -s "*i32" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n default_out -s "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix DEFAULT
# RUN: tessera compile %s -n without_acc -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix NOACC
import triton
import triton.language as tl


@triton.jit
def k(p):
    a = tl.full((16, 32), 1, tl.int8)
    b = tl.full((32, 16), 1, tl.int8)
    c = tl.zeros((16, 16), tl.int32)
    c = tl.dot(a, b, c, out_dtype=tl.int32)  # omitting out_dtype is an error
    tl.store(p + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@triton.jit
def default_out(p):
    a = tl.full((16, 32), 1, tl.int8)
    b = tl.full((32, 16), 1, tl.int8)
    c = tl.dot(a, b, tl.zeros((16, 16), tl.int32))
    tl.store(p, tl.sum(c))


@triton.jit
def without_acc(p):
    a = tl.full((16, 32), 1, tl.int8)
    b = tl.full((32, 16), 1, tl.int8)
    tl.static_assert(tl.dot(a, b).dtype == tl.int32)
    x = tl.full((16, 16), 1.0, tl.bfloat16)
    tl.static_assert(tl.dot(x, x, out_dtype=tl.float16).dtype == tl.float32)
    h = tl.full((16, 16), 1.0, tl.float16)
    tl.static_assert(tl.dot(h, h, out_dtype=tl.float16).dtype == tl.float16)
    tl.store(p, 0)


# CHECK: tt.dot {{.*}} tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
# DEFAULT: error: {{.*}}out_dtype
# NOACC: tt.return
