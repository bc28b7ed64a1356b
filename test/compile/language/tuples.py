# Tuples, named tuples, aggregates and list comprehensions (docs/language.md, tuples).
# RUN: tessera compile %s -n operations -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix OPS
# RUN: tessera compile %s -n named -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix NAMED
# RUN: tessera compile %s -n aggregates -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix FIELDS
# RUN: tessera compile %s -n comprehensions -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix EACH
from typing import NamedTuple

import triton
import triton.language as tl


@triton.jit
def swap(t):
    return t[1], t[0]


@triton.jit
def operations(p, n):
    t = (n, n + 1, 7)
    tl.static_assert(len(t) == 3)
    tl.static_assert(len((1, None)) == 2)
    tl.static_assert((1, 2) + (3,) == (1, 2, 3))
    tl.static_assert((1, 2) * 2 == (1, 2, 1, 2))
    tl.static_assert((1, 2, 3, 4)[1:3] == (2, 3))
    tl.static_assert((1, 2, 3)[::-1] == (3, 2, 1))
    tl.static_assert((1, 2, 3)[-1] == 3)
    tl.static_assert([1, 2] == (1, 2))
    u = t[1:] + [n]
    a, b = swap((u[0], u[2]))
    tl.store(p, a - b)


# OPS-LABEL: tt.func public @operations
# OPS:         %[[T:.+]] = arith.addi %n, %{{.+}}
# OPS:         arith.subi %n, %[[T]]


class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor


@triton.jit
def mirrored(point):
    return Point(x=point.y, y=point.x)


@triton.jit
def named(p, n):
    point = Point(n, n * 3)
    other = mirrored(point)
    for i in range(n):
        other = Point(other.y, other.x)
    x, y = other
    tl.store(p, x - y)
    tl.store(p, point[0] + point.y)


# NAMED-LABEL: tt.func public @named
# NAMED:         scf.for {{.*}} iter_args(%other{{.*}} = %{{.+}}, %other{{.*}} = %n) -> (i32, i32)


@tl.core._aggregate
class Range:
    start: tl.tensor
    size: tl.constexpr

    @triton.constexpr_function
    def __init__(self, start, size):
        self.start = start
        self.size = tl.constexpr(size)

    @triton.jit
    def block(self):
        return self.start + tl.arange(0, self.size)


@triton.jit
def aggregates(p, n):
    r = Range(n, 8)
    tl.store(p + r.block(), r.start)


# FIELDS-LABEL: tt.func public @aggregates
# FIELDS:         end = 8
# FIELDS:         tt.splat %n : i32 -> tensor<8xi32>


@triton.jit
def comprehensions(p, n):
    doubled = [v * 2 for v in (n, n + 1, n + 2)]
    tl.static_assert(len(doubled) == 3)
    kept = [v * n for v in (1, 2, 3) if v != 2]
    tl.static_assert(len(kept) == 2)
    tl.store(p, doubled[0] + kept[1])


# EACH-LABEL: tt.func public @comprehensions
# EACH:         arith.muli %n, %c2_i32
# EACH:         arith.muli %n, %c3_i32
