# Trap 1 of the language: An int argument equal to 1 is not a tensor
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: not tessera compile %s --kernel-name k --signature "*fp32,i32:1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=CHECK2
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    off = n.to(tl.int64) * 4
    tl.store(p + off, 0.0)


# CHECK1: arith.extsi
# CHECK2: error: '.to' is for tensors, not for the compile-time value the int 1
