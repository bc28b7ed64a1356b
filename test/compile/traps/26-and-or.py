# Trap 26 of the language: `and`/`or` demand booleans and do not short-circuit at run time
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32,i32,False" --emit ttir -o - | FileCheck %s --check-prefix=CHECK1
# RUN: tessera compile %s --kernel-name k --signature "*fp32,i32,i32,True" --emit ttir -o - | FileCheck %s --check-prefix=CHECK2
import triton
import triton.language as tl


@triton.jit
def k(p, n, m, D: tl.constexpr):
    if D and tl.load(p) > 0:      # D=False: load never emitted
        tl.store(p, 1.0)
    if n > 0 and m > 0:           # both sides evaluated
        tl.store(p, 2.0)


# CHECK1-NOT: tt.load
# CHECK1: arith.andi
# CHECK2: tt.load
