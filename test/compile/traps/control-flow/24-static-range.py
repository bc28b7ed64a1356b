# Trap 24 of the language: `static_range` indices are constants, `range` indices never are
# RUN: tessera compile %s -n k -s "*fp32" --emit ttir -o - | FileCheck %s
# RUN: not tessera compile %s -n run_time -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix INDEX
# RUN: not tessera compile %s -n declared -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix DECLARED
import triton
import triton.language as tl


@triton.jit
def k(p):
    t = (1.0, 2.0)
    for i in tl.static_range(2):
        tl.store(p + i, t[i])
    for i in range(2):            # t[i] here would be an error
        tl.store(p + i, 0.0)


@triton.jit
def run_time(p):
    t = (1.0, 2.0)
    for i in range(2):
        tl.store(p + i, t[i])


@triton.jit
def declared(p):
    for i in tl.static_range(2):
        c: tl.constexpr = i
        tl.store(p + c, 0.0)


# CHECK-DAG: %[[ONE:.+]] = arith.constant 1.000000e+00
# CHECK-DAG: %[[TWO:.+]] = arith.constant 2.000000e+00
# CHECK: tt.store %p, %[[ONE]]
# CHECK: tt.store %{{.+}}, %[[TWO]]
# CHECK: scf.for
# INDEX: error: a tuple is indexed with a compile-time int, not with a run-time scalar i32
# DECLARED: error: 'c' is already defined, and a tl.constexpr is defined once
