# Calls between jit functions: arguments, specialisation, inlining, returns (docs/language.md, calls and return).
# RUN: tessera compile %s -n arguments -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix ARGS
# RUN: tessera compile %s -n specialised -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix SPECIAL
# RUN: tessera compile %s -n kept -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix KEPT
# RUN: tessera compile %s -n returns -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix RETURN
# RUN: tessera compile %s -n early -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix EARLY --implicit-check-not " cf."
# RUN: tessera compile %s -n early_names -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix NAMES
# RUN: tessera compile %s -n compile_time -s "*i32,i32,6" --emit ttir -o - | FileCheck %s --check-prefix COMPILE
# RUN: tessera compile %s -n places -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix PLACE
import math

import triton
import triton.language as tl


@triton.jit
def combine(x, y=2, MODE: tl.constexpr = "sub", dtype=tl.int32, f=None):
    tl.static_assert(dtype == tl.int32)
    if f is not None:
        return f(x)
    if MODE == "sub":
        return x - y
    else:
        return x * y


@triton.jit
def double(x):
    return x * 2


@triton.jit
def arguments(p, n):
    tl.store(p, combine(n))
    tl.store(p, combine(y=n, x=3))
    tl.store(p, combine(n, MODE="mul"))
    pair = (n, n)
    tl.store(p, combine(*pair, MODE="mul"))
    tl.store(p, combine(n, f=double))
    F: tl.constexpr = double
    tl.store(p, F(n))


# ARGS-LABEL: tt.func public @arguments
# ARGS-DAG:     %[[TWO:.+]] = arith.constant 2 : i32
# ARGS-DAG:     %[[THREE:.+]] = arith.constant 3 : i32
# ARGS:         arith.subi %n, %[[TWO]]
# ARGS:         arith.subi %[[THREE]], %n
# ARGS:         arith.muli %n, %[[TWO]]
# ARGS:         arith.muli %n, %n
# ARGS-NOT:     tt.call
# ARGS:         tt.return


@triton.jit
def countdown(x, N: tl.constexpr):
    if N == 0:
        return x
    else:
        return countdown(x + N, N - 1)


@triton.jit
def length(n):
    return tl.arange(0, n)


@triton.jit
def specialised(p, n):
    """A callee is made anew for each set of types and compile-time values."""
    tl.store(p, countdown(n, 3))
    tl.store(p + length(8), 1)
    tl.store(p + length(16), 1)


# SPECIAL-LABEL: tt.func public @specialised
# SPECIAL:         arith.addi %n, %c6_i32
# SPECIAL:         end = 8
# SPECIAL:         end = 16


@triton.jit(noinline=True)
def added(x, y):
    return x + y


@triton.jit
def kept(p, n):
    tl.store(p, added(n, 3))
    tl.store(p, added(n, n))


# KEPT-LABEL: tt.func public @kept
# KEPT:         tt.call @[[FIRST:.+]](%n) : (i32) -> i32
# KEPT:         tt.call @[[SECOND:.+]](%n, %n) : (i32, i32) -> i32
# KEPT:       tt.func private @{{.+}} attributes {noinline = true}


@triton.jit
def several(x):
    return x + 1, 2.5


@triton.jit
def nothing(p):
    tl.store(p, 7)


@triton.jit
def explicit_none(p):
    tl.store(p, 8)
    return None


@triton.jit
def a_type(x):
    return x.dtype


@triton.jit
def a_constant():
    return 8


@triton.jit
def returns(p, n):
    a, b = several(n)
    both = several(n)
    tl.static_assert(b.dtype == tl.float32)
    tl.store(p, a + both[0])
    nothing(p)
    result = explicit_none(p)
    tl.static_assert(result is None)
    tl.static_assert(a_type(n) == tl.int32)
    tl.static_assert(isinstance(a_constant(), tl.tensor))  # numbers decay


# RETURN-LABEL: tt.func public @returns
# RETURN-COUNT-3: tt.store


@triton.jit
def clipped(x):
    if x > 10:
        return 10
    y = x * 2
    if y < -10:
        return y
    return x + y


@triton.jit
def early(p, n):
    """Returns stay structured, so that functions with them inline anywhere, also into loops."""
    for i in range(n):
        tl.store(p + i, clipped(i))
    if n > 100:
        if n > 1000:
            return
        tl.store(p, 1)
    tl.store(p, 2)


# EARLY-LABEL: tt.func public @early
# EARLY-NOT:     tt.call
# EARLY:         scf.for
# EARLY:           scf.if
# EARLY:           tt.store
# EARLY:         scf.if
# EARLY:         tt.return


@triton.jit
def early_names(p, n):
    """Names of the branch that goes on, where the other returns always and it sometimes."""
    x = n
    if n > 0:
        return
    else:
        x = n * 3
        y = tl.load(p)
        if n < -5:
            return
        z = x + 1
    tl.store(p, x + y + z)


# NAMES-LABEL: tt.func public @early_names
# NAMES:         scf.if
# NAMES:           tt.load
# NAMES:           scf.if
# NAMES:         tt.store
# NAMES:         tt.return


@triton.constexpr_function
def half_up(n):
    total = 0
    for i in range(n):
        if i == 100:
            break
        total += i
    return {"n": [total, n // 2 + 1]}["n"][1]


@triton.jit
def compile_time(p, n, C: tl.constexpr):
    tl.store(p + tl.arange(0, half_up(C)), n)
    tl.static_assert(triton.cdiv(7, 2) == 4)
    tl.static_assert(triton.next_power_of_2(9) == 16)
    tl.static_assert(math.sqrt(16.0) == 4.0)
    tl.static_assert(math.floor(2.7) == 2)


# COMPILE-LABEL: tt.func public @compile_time
# COMPILE:         end = 4


@triton.jit
def innermost(x):
    return x * x


@triton.jit
def middle(x):
    return innermost(x)


@triton.jit
def places(p, n):
    tl.store(p, middle(n))


# Each call on the way is part of an operation's location.
# PLACE: arith.muli %n, %n : i32 loc(#[[WHOLE:loc[0-9]+]])
# PLACE: #[[SQUARE:loc[0-9]+]] = loc("{{.*}}calls.py":[[#@LINE-15]]:12)
# PLACE: #[[MIDDLE:loc[0-9]+]] = loc("{{.*}}calls.py":[[#@LINE-11]]:12)
# PLACE: #[[KERNEL:loc[0-9]+]] = loc("{{.*}}calls.py":[[#@LINE-7]]:17)
# PLACE: #[[CALL:loc[0-9]+]] = loc(callsite(#[[MIDDLE]] at #[[KERNEL]]))
# PLACE: #[[WHOLE]] = loc(callsite(#[[SQUARE]] at #[[CALL]]))
