# Trap 1 of the language: An int argument equal to 1 is not a tensor
# RUN: tessera compile %s -n k -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix VALUE
# RUN: not tessera compile %s -n k -s "*fp32,i32:1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix ONE
# RUN: tessera compile %s -n portable -s "*fp32,i32:1" --emit ttir -o - | FileCheck %s --check-prefix PORTABLE
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    off = n.to(tl.int64) * 4
    tl.store(p + off, 0.0)


@triton.jit
def portable(p, n):
    tl.store(p + tl.cast(n, tl.int64) * 4, 0.0)


# VALUE: arith.extsi %n : i32 to i64
# ONE: :11: error: '.to' is for tensors, not for the compile-time value the int 1
# PORTABLE: arith.constant 4 : i64
