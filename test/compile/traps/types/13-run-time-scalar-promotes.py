# Trap 13 of the language: A run-time scalar is a full citizen of promotion
# RUN: tessera compile %s --kernel-name k --signature "*fp16,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    v = tl.full((8,), 1, tl.int8)
    tl.static_assert((v + 7).dtype == tl.int8)
    tl.static_assert((v + n).dtype == tl.int32)


# CHECK: tt.return
