# Trap 12 of the language: Reduction dtypes are irregular
# RUN: tessera compile %s --kernel-name k --signature "*fp16" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    h = tl.load(p + tl.arange(0, 8))
    tl.static_assert(tl.sum(h).dtype == tl.float16)
    tl.static_assert(tl.max(h).dtype == tl.float32)
    tl.static_assert(tl.sum(h > 0).dtype == tl.uint32)


# CHECK: tt.return
