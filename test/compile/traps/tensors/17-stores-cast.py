# Trap 17 of the language: Stores cast silently, block-pointer stores refuse
# RUN: not tessera compile %s -n k -s "*i32,i32" --emit ttir -o - 2>&1 | FileCheck %s
# RUN: tessera compile %s -n pointers -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix POINTERS
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    v = tl.full((16,), 2.9, tl.float32)
    tl.store(p + tl.arange(0, 16), v)                           # writes 2
    bp = tl.make_block_ptr(p, (n,), (1,), (0,), (16,), (0,))
    tl.store(bp, v)                                             # assertion


@triton.jit
def pointers(p):
    tl.store(p + tl.arange(0, 16), tl.full((16,), 2.9, tl.float32))


# CHECK-NOT: :{{[0-9]+}}: error
# CHECK: :5: error: store through a block pointer does not convert: the block is i32[16] and the value fp32[16]
# POINTERS: dense<2> : tensor<16xi32>
