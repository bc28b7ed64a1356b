# Trap 38 of the language: Random words are u32 and depend only on (seed, offset)
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, seed):
    i = tl.arange(0, 64)
    r = tl.randint(seed, i)
    tl.static_assert(r.dtype == tl.uint32)
    tl.store(p + i, tl.rand(seed, i))


# CHECK: tt.mulhiui
