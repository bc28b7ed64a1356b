# Each form of statement: assignments, annotations, augmented assignments, expressions, assert (docs/language.md, statements).
# RUN: tessera compile %s -n assignments -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix ASSIGN
# RUN: tessera compile %s -n augmented -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix AUGMENT
# RUN: tessera compile %s -n annotations -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix ANNOTATE
# RUN: tessera compile %s -n expressions -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix EXPRESS
# RUN: tessera compile %s -n asserts -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix NOASSERT
# RUN: tessera compile %s -n asserts -s "*i32,i32" --emit ttir --debug -o - | FileCheck %s --check-prefix ASSERT
import triton
import triton.language as tl


@triton.jit
def assignments(p, n):
    """A docstring is passed over."""
    x = n + 1
    a, b = x, 2
    (c, d), e = (a, b), n
    pass
    tl.store(p, c * d - e)


# ASSIGN-LABEL: tt.func public @assignments
# ASSIGN:         %[[TWO:.+]] = arith.constant 2 : i32
# ASSIGN:         %[[X:.+]] = arith.addi %n, %{{.+}} : i32
# ASSIGN:         %[[P:.+]] = arith.muli %[[X]], %[[TWO]] : i32
# ASSIGN:         arith.subi %[[P]], %n : i32


@triton.jit
def augmented(p, n):
    x = n
    x += n
    x -= 2
    x *= n
    x //= n
    x %= n
    x <<= 1
    x >>= 2
    x &= n
    x |= 7
    x ^= n
    tl.store(p, x)
    x /= n
    tl.static_assert(x.dtype == tl.float32)


# AUGMENT-LABEL: tt.func public @augmented
# AUGMENT:         arith.addi
# AUGMENT:         arith.subi
# AUGMENT:         arith.muli
# AUGMENT:         arith.divsi
# AUGMENT:         arith.remsi
# AUGMENT:         arith.shli
# AUGMENT:         arith.shrsi
# AUGMENT:         arith.andi
# AUGMENT:         arith.ori
# AUGMENT:         arith.xori


@triton.jit
def annotations(p, n):
    N: tl.constexpr = 4 * 2
    shape: tl.constexpr = (N,)
    nothing: tl.constexpr
    tl.static_assert(nothing is None)
    x: tl.int32 = 4
    y: int = x + n
    later: tl.tensor
    later = y
    tl.store(p + tl.arange(0, N), tl.full(shape, 1, tl.int32) + later)


# ANNOTATE-LABEL: tt.func public @annotations
# ANNOTATE:         tt.make_range {end = 8 : i32


@triton.jit
def expressions(p, n):
    n + 1
    ...
    "text"
    tl.load(p, volatile=True)
    tl.store(p, n), tl.store(p + 1, n)


# EXPRESS-LABEL: tt.func public @expressions
# EXPRESS-NOT:     arith.addi
# EXPRESS:         tt.load %p {isVolatile = true}
# EXPRESS-COUNT-2: tt.store
# EXPRESS:         tt.return


@triton.jit
def asserts(p, n):
    assert n > 0, "positive"
    assert True
    tl.store(p, n)


# NOASSERT-LABEL: tt.func public @asserts
# NOASSERT-NOT:     tt.assert
# NOASSERT:         tt.return
# ASSERT-LABEL: tt.func public @asserts
# ASSERT:         tt.assert %{{.+}}, "positive" : i1
