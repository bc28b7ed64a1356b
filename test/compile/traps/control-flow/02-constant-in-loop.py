# Trap 2 of the language: and cannot be mutated in a loop
# RUN: tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix VALUE
# RUN: not tessera compile %s -n k -s "*fp32,i32:1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix ONE
# RUN: tessera compile %s -n copied -s "*fp32,i32:1" --emit ttir -o - | FileCheck %s --check-prefix COPIED
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    while n > 0:
        tl.atomic_add(p, 1.0)
        n -= 1


@triton.jit
def copied(p, n):
    m = n
    while m > 0:
        tl.atomic_add(p, 1.0)
        m -= 1


# VALUE: scf.while
# ONE: error: the condition of a 'while' is a run-time scalar, not True, with which it would never end
# ONE: note: 'n' is the int 1, a compile-time value; m = n makes a run-time one, which the loop can change
# COPIED: scf.while
