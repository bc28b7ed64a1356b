# Trap 18 of the language: Bools are bytes in memory
# RUN: tessera compile %s -n k -s "*u1,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(flag, n):
    f = tl.load(flag)            # int1: byte != 0
    tl.store(flag, n)            # writes the low byte of n, not 0/1
    tl.store(flag, n != 0)       # writes 0/1


# CHECK: %[[BYTE:.+]] = tt.bitcast %flag : !tt.ptr<i1> -> !tt.ptr<i8>
# CHECK: %[[LOW:.+]] = arith.trunci %n : i32 to i8
# CHECK: tt.store %[[BYTE]], %[[LOW]]
# CHECK: %[[TRUTH:.+]] = arith.cmpi ne, %n,
# CHECK: %[[BIT:.+]] = arith.extui %[[TRUTH]] : i1 to i8
# CHECK: tt.store %[[BYTE]], %[[BIT]]
