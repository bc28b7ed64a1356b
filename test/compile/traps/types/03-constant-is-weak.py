# Trap 3 of the language: and has weak typing
# RUN: tessera compile %s -n k -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix VALUE
# RUN: tessera compile %s -n k -s "*i32,i32:1" --emit ttir -o - | FileCheck %s --check-prefix ONE
import triton
import triton.language as tl


@triton.jit
def k(p, s):
    v = tl.full((8,), 100, tl.int8) * s
    tl.store(p + tl.arange(0, 8), v)


# VALUE: arith.muli %s, %{{.+}} : i32
# ONE-NOT: arith.muli
# ONE: dense<100> : tensor<8xi32>
