# Named tuples in kernels: fields by name and by position, defaults, methods, and through calls,
# loops and branches.
# RUN: split-file %s %t
# RUN: tessera compile %t/tuples.py -n k -s "*i32,i32" --emit ttir -o - | FileCheck %s
# CHECK: tt.func public @k(%[[P:.*]]: !tt.ptr<i32> {{.*}}, %[[N:.*]]: i32
# CHECK: %[[PID:.*]] = tt.get_program_id x
# swap(Point(pid, n)) is Point(n, pid).
# CHECK: %[[TEN:.*]] = arith.muli %[[PID]], %c10_i32
# CHECK: %[[SUM:.*]] = arith.addi %[[N]], %[[TEN]]
# CHECK: tt.store %[[P]], %[[SUM]]
# The default of y.
# CHECK: tt.store %{{.*}}, %c5_i32
# A loop carries both fields; a branch changes one.
# CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[PID]], %[[Y:.*]] = %[[N]]) -> (i32, i32)
# CHECK: scf.yield %[[Y]], %{{.*}} : i32, i32
# CHECK: arith.addi %[[LOOP]]#0, %c1_i32
# CHECK: arith.addi %{{.*}}, %[[LOOP]]#1
# collections.namedtuple.
# CHECK: arith.addi %[[PID]], %c9_i32
# A method.
# CHECK: arith.subi %[[PID]], %[[N]]

#--- tuples.py
import collections
from typing import NamedTuple
import triton
import triton.language as tl

class Point(NamedTuple):
    """Two coordinates."""
    x: tl.tensor
    y: tl.tensor = 5

    @triton.jit
    def difference(self):
        return self.x - self.y

Pair = collections.namedtuple("Pair", "a b", defaults=(9,))

@triton.jit
def swap(p):
    return Point(p.y, p.x)

@triton.jit
def k(out, n):
    pid = tl.program_id(0)
    point = Point(pid, n)
    swapped = swap(point)
    tl.store(out, swapped.x + swapped[1] * 10)
    tl.store(out + 1, Point(x=pid).y)
    moving = point
    for i in range(n):
        moving = Point(moving.y, moving.x + i)
    if n > 3:
        moving = Point(moving.x + 1, y=moving.y)
    tl.store(out + 2, moving.x + moving.y)
    pair = Pair(pid)
    a, b = pair
    tl.store(out + 3, a + pair.b)
    tl.store(out + 4, point.difference())
