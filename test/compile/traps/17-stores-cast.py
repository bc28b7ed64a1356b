# Trap 17 of the language: Stores cast silently, block-pointer stores refuse
# RUN: not tessera compile %s --kernel-name k --signature "*i32,i32" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    v = tl.full((16,), 2.9, tl.float32)
    tl.store(p + tl.arange(0, 16), v)                           # writes 2
    bp = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.store(bp, v)                                             # assertion


# CHECK: fp32
