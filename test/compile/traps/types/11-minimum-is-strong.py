# Trap 11 of the language: min/max family ignores it too, `where` does not
# RUN: tessera compile %s --kernel-name k --signature "*fp16" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    h = tl.load(p + tl.arange(0, 8))
    tl.static_assert(tl.maximum(h, 0.0).dtype == tl.float32)
    tl.static_assert(tl.where(h > 0, h, 0.0).dtype == tl.float16)
    tl.static_assert(tl.minimum(h.to(tl.int8), 5).dtype == tl.int32)


# CHECK: tt.return
