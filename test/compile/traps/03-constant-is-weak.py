# Trap 3 of the language: and has weak typing
# RUN: tessera compile %s --kernel-name k --signature "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: tessera compile %s --kernel-name k --signature "*i32,i32:1" --emit ttir -o - | FileCheck %s --check-prefix=CHECK2
import triton
import triton.language as tl


@triton.jit
def k(p, s):
    v = tl.full((8,), 100, tl.int8) * s
    tl.store(p + tl.arange(0, 8), v)


# CHECK1: arith.muli {{.*}} : tensor<8xi32>
# CHECK2-NOT: arith.muli
# CHECK2: dense<100>
