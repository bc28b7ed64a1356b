# A run-time value that is declared tl.constexpr stays a run-time value: tl.cdiv returns a tensor even of constants.
# RUN: tessera compile %s --kernel-name wrap --signature "*i32,100,16" --emit ttir -o - | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def wrap(p, V: tl.constexpr, BV: tl.constexpr):
    NV: tl.constexpr = tl.cdiv(V, BV)
    tl.store(p, tl.program_id(0) % NV)


# CHECK: %[[PID:.+]] = tt.get_program_id x
# CHECK: arith.remsi %[[PID]], %{{.*}} : i32
