# Trap 23 of the language: Loop-carried variables may not change type
# RUN: not tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
# RUN: not tessera compile %s -n constant -s "*fp32,i32,1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix CONSTANT
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    acc = 0                       # int32
    for i in range(n):
        acc += tl.load(p + i)     # fp32


@triton.jit
def constant(p, n, C: tl.constexpr):
    for i in range(n):
        C = C + i
    tl.store(p, C)


# CHECK: :9: error: 'acc' is i32 before the loop and fp32 after an iteration; a loop keeps the types of its variables
# CHECK: :5: note: 'acc' got its type here
# CONSTANT: error: 'C' is the int 1 before the loop, and the loop assigns a run-time scalar i32
