# Trap 7 of the language: Two integer divisions
# RUN: tessera compile %s -n k -s "*i32,i32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p + 0, n // 2)      # n = -7 -> -3
    tl.store(p + 1, n % 2)       # n = -7 -> -1
    tl.store(p + 2, -7 // 2)     # -4 (Python)
    tl.store(p + 3, -7 % 2)      #  1 (Python)


# CHECK-DAG: %[[FLOOR:.+]] = arith.constant -4 : i32
# CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i32
# CHECK: arith.divsi %n,
# CHECK: arith.remsi %n,
# CHECK: tt.store %{{.+}}, %[[FLOOR]]
# CHECK: tt.store %{{.+}}, %[[ONE]]
