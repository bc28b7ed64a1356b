# Trap 19 of the language: Signed zero is lost
# RUN: tessera compile %s -n k -s "*fp32" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    z = tl.load(p)               # +0.0
    tl.store(p + 1, -z)          # +0.0: negation is 0 - z
    tl.store(p + 2, -0.0)        # +0.0 in Triton 3.6.0, -0.0 here


# Negation is 0 - z, as there. A zero that is written with a sign keeps it: bf16 constants
# and -0.0 are among the defects that docs/language.md lists as done right.
# CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
# CHECK-DAG: %[[NEGATIVE:.+]] = arith.constant -0.000000e+00 : f32
# CHECK: %[[Z:.+]] = tt.load %p
# CHECK: arith.subf %[[ZERO]], %[[Z]] : f32
# CHECK: tt.store %{{.+}}, %[[NEGATIVE]]
