# Trap 26 of the language: `and`/`or` demand booleans and do not short-circuit at run time
# RUN: tessera compile %s -n k -s "*fp32,i32,i32,False" --emit ttir -o - | FileCheck %s --check-prefix FALSE
# RUN: tessera compile %s -n k -s "*fp32,i32,i32,True" --emit ttir -o - | FileCheck %s --check-prefix TRUE
# RUN: not tessera compile %s -n ints -s "*fp32,i32,i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix INTS
# RUN: tessera compile %s -n decided -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix DECIDED
import triton
import triton.language as tl


@triton.jit
def k(p, n, m, D: tl.constexpr):
    if D and tl.load(p) > 0:      # D=False: load never emitted
        tl.store(p, 1.0)
    if n > 0 and m > 0:           # both sides evaluated
        tl.store(p, 2.0)


@triton.jit
def ints(p, n, m):
    if n and m:
        tl.store(p, 1.0)


@triton.jit
def decided(p, n):
    tl.static_assert((n > 0 and False) == False)
    if n:
        tl.store(p, 1.0)


# FALSE-NOT: tt.load
# FALSE: arith.andi %{{.+}}, %{{.+}} : i1
# TRUE: tt.load
# INTS: error: 'and' takes bools, not a run-time scalar i32; compare with 0
# DECIDED: arith.cmpi ne, %n,
