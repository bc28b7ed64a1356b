# Trap 21 of the language: Names born in one branch die at the join
# RUN: not tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s
# RUN: not tessera compile %s -n two_types -s "*fp32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix TYPES
# RUN: tessera compile %s -n constant -s "*fp32,5" --emit ttir -o - | FileCheck %s --check-prefix CONSTANT
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    if n > 3:
        v = 1.0
    tl.store(p, v)


@triton.jit
def two_types(p, n):
    if n > 3:
        v = 1.0
    else:
        v = 1
    tl.store(p, v)


@triton.jit
def constant(p, n):
    if n > 3:
        v = 1.0
    tl.store(p, v)


# CHECK: :17: error: 'v' is not defined here: it is assigned only inside one branch of an 'if'; give it a value before
# CHECK: :9: note: 'v' is assigned here
# TYPES: error: 'v' is fp32 in the 'if' branch and i32 in the 'else' branch; a run-time condition needs one type
# CONSTANT: tt.store %p, %{{.+}} : !tt.ptr<f32>
