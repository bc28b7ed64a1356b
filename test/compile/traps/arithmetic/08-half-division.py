# Trap 8 of the language: Half precision division widens
# RUN: tessera compile %s --kernel-name k --signature "*fp16" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    h = tl.load(p + tl.arange(0, 8))        # fp16
    tl.static_assert((h * 2).dtype == tl.float16)
    tl.static_assert((h / 2).dtype == tl.float32)
    tl.static_assert((h % h).dtype == tl.float32)


# CHECK: tt.return
