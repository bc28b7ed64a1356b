# What an assignment stores, and where nothing decays (docs/language.md, assignment).
# RUN: tessera compile %s -n numbers -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix NUMBERS
# RUN: tessera compile %s -n kept -s "*fp32,i32,8" --emit ttir -o - | FileCheck %s --check-prefix KEPT
import triton
import triton.language as tl


@triton.jit
def numbers(p):
    t = True
    tl.static_assert(t.dtype == tl.int1)
    i = 2**31 - 1
    tl.static_assert(i.dtype == tl.int32)
    i = -(2**31)
    tl.static_assert(i.dtype == tl.int32)
    i = 2**31
    tl.static_assert(i.dtype == tl.uint32)
    i = 2**32
    tl.static_assert(i.dtype == tl.int64)
    i = -(2**31) - 1
    tl.static_assert(i.dtype == tl.int64)
    i = 2**63
    tl.static_assert(i.dtype == tl.uint64)
    f = 0.0
    tl.static_assert(f.dtype == tl.float32)
    f = float("inf")
    tl.static_assert(f.dtype == tl.float32)
    f = float("nan")
    tl.static_assert(f.dtype == tl.float32)
    f = 3.4e38
    tl.static_assert(f.dtype == tl.float32)
    f = 1e39
    tl.static_assert(f.dtype == tl.float64)
    f = 1.2e-38
    tl.static_assert(f.dtype == tl.float32)
    f = 1e-39  # would be a subnormal
    tl.static_assert(f.dtype == tl.float64)
    tl.store(p, f)


# NUMBERS-LABEL: tt.func public @numbers
# NUMBERS:         arith.constant


@triton.jit
def kept(p, n, C: tl.constexpr):
    s: tl.constexpr = (C, C)  # still a shape
    tl.static_assert(tl.zeros(s, tl.float32).shape == (8, 8))
    d = tl.float16  # a dtype stays one
    tl.static_assert(tl.zeros((C,), d).dtype == tl.float16)
    nothing = None
    tl.static_assert(nothing is None)
    pair = (n, tl.float32, None)
    tl.static_assert(pair[1] == tl.float32)
    tl.static_assert(isinstance((4, n)[0], tl.tensor) == False)  # a display in place
    pair = (4, n)
    tl.static_assert(isinstance(pair[0], tl.tensor))  # an assigned one
    for i in tl.static_range(C):
        tl.static_assert(isinstance(i, tl.tensor) == False)
    tl.store(p, n)


# KEPT-LABEL: tt.func public @kept
# KEPT:         tt.store
