# Aggregates: objects with typed fields, constructed by __init__, with jit, constexpr and static
# methods, carried by loops, branches and calls.
# RUN: split-file %s %t
# RUN: tessera compile %t/aggregates.py -n k -s "*i32,i32" --emit ttir -o - | FileCheck %s
# CHECK: tt.func public @k(%[[P:.*]]: !tt.ptr<i32> {{.*}}, %[[N:.*]]: i32
# CHECK: %[[SIX:.*]] = arith.constant 6 : i32
# CHECK: %[[PID:.*]] = tt.get_program_id x
# The field SCALE is a constant in the loop; only `total` is carried.
# CHECK: %[[LOOP:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[TOTAL:.*]] = %[[PID]]) -> (i32)
# CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %[[SIX]]
# CHECK: %[[NEXT:.*]] = arith.addi %[[TOTAL]], %[[SCALED]]
# CHECK: scf.yield %[[NEXT]]
# CHECK: arith.addi %{{.*}}, %[[SIX]]
# A static method, an object inside another, and an __init__ that emits.
# CHECK: tt.store %{{.*}}, %[[PID]]
# CHECK: %[[V:.*]] = arith.addi %[[PID]], %c3_i32
# CHECK: arith.muli %{{.*}}, %c3_i32
# RUN: tessera compile %t/aggregates.py -s "*i32,i32" -n noinline --emit ttir -o - | FileCheck %s --check-prefix=CALL
# CALL: tt.call @{{.*}}get{{.*}} : (i32) -> i32

#--- aggregates.py
import triton
import triton.language as tl

@tl.core._aggregate
class Accumulator:
    total: tl.tensor
    SCALE: tl.constexpr

    @triton.constexpr_function
    def __init__(self, total, SCALE):
        self.total = total
        self.SCALE = tl.constexpr(SCALE * 2)

    @triton.jit
    def add(self, value):
        return Accumulator(self.total + value * self.SCALE, self.SCALE // 2)

    @triton.constexpr_function
    def scale(self, times=1):
        return self.SCALE * times

    @staticmethod
    @triton.jit
    def start(value):
        return Accumulator(value, 4)

@tl.core._aggregate
class Wrapper:
    inner: Accumulator
    pair: tl.tuple

    def __init__(self, inner, pair):
        self.inner = inner
        self.pair = pair

    @triton.jit
    def read(self):
        return self.inner.total

@tl.core._aggregate
class Shifted:
    value: tl.tensor
    BY: tl.constexpr

    @triton.jit
    def __init__(self, value, BY: tl.constexpr):
        self.value = value + BY
        self.BY = BY

@triton.jit
def k(out, n):
    pid = tl.program_id(0)
    sums = Accumulator(pid, 3)
    for i in range(n):
        sums = sums.add(i)
    if n > 3:
        sums = sums.add(100)
    tl.store(out, sums.total + sums.scale())
    wrapped = Wrapper(Accumulator.start(pid), (n, 1))
    tl.store(out + wrapped.pair[1], wrapped.read())
    shifted = Shifted(pid, 3)
    tl.store(out + 2, shifted.value * shifted.BY)

@triton.jit(noinline=True)
def get(sums):
    return sums.total + sums.SCALE

@triton.jit
def noinline(out, n):
    tl.store(out, get(Accumulator(n, 1)))
