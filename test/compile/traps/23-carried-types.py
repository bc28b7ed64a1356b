# Trap 23 of the language: Loop-carried variables may not change type
# RUN: not tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    acc = 0                       # int32
    for i in range(n):
        acc += tl.load(p + i)     # fp32


# CHECK: 'acc' is i32 before the loop and fp32 after an iteration
