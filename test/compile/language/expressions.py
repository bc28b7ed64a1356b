# Each form of expression: operators, comparisons, and/or, conditional expressions, subscripts, f-strings, displays
# (docs/language.md, expressions).
# RUN: tessera compile %s -n constants -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix CONST
# RUN: tessera compile %s -n unary -s "*i32,i32,fp32,u32" --emit ttir -o - | FileCheck %s --check-prefix UNARY
# RUN: tessera compile %s -n booleans -s "*i32,i32,i32" --emit ttir -o - | FileCheck %s --check-prefix BOOL
# RUN: tessera compile %s -n block_booleans -s "*i32,i32" --emit ttir -o %t 2>&1 | FileCheck %s --check-prefix WARN --implicit-check-not warning
# RUN: tessera compile %s -n conditional -s "*i32,*fp32,i32,True" --emit ttir -o - | FileCheck %s --check-prefix TERNARY
# RUN: tessera compile %s -n subscripts -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix INDEX
# RUN: tessera compile %s -n texts -s "*i32,i32,5" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix TEXT
import triton
import triton.language as tl


@triton.jit
def constants(p):
    tl.static_assert(7 + 2 * 3 - 1 == 12)
    tl.static_assert(7 / 2 == 3.5)
    tl.static_assert(-7 // 2 == -4)
    tl.static_assert(-7 % 2 == 1)
    tl.static_assert(2**10 == 1024)
    tl.static_assert((1 << 4 | 3 & 2 ^ 1) == 19)
    tl.static_assert(~5 == -6)
    tl.static_assert(+5 == 5)
    tl.static_assert(not 0)
    tl.static_assert((3 if 2 > 1 else 4) == 3)
    tl.static_assert("a" + "b" == "ab")
    tl.static_assert((1, 2) == (1, 2))
    tl.static_assert((1, 2) != (1, 3))
    tl.static_assert(None is None)
    tl.static_assert(tl.float32 is tl.float32)
    tl.static_assert(p is not None)
    tl.static_assert(p is p)
    tl.static_assert(("" or "b") == "b")
    tl.static_assert((0 or 3) == 3)
    tl.store(p, 1)


# CONST-LABEL: tt.func public @constants
# CONST:         tt.store


@triton.jit
def unary(p, n, f, u):
    tl.store(p, -n)
    tl.store(p, ~n)
    tl.store(p, not (n > 0))
    tl.store(p, -f)
    tl.static_assert((-u).dtype == tl.uint32)
    tl.static_assert((~u).dtype == tl.uint32)


# UNARY-LABEL: tt.func public @unary
# UNARY-DAG:     %[[ZERO:.+]] = arith.constant 0 : i32
# UNARY-DAG:     %[[ONES:.+]] = arith.constant -1 : i32
# UNARY-DAG:     %[[FZERO:.+]] = arith.constant 0.000000e+00 : f32
# UNARY:         arith.subi %[[ZERO]], %n : i32
# UNARY:         arith.xori %n, %[[ONES]] : i32
# UNARY:         arith.cmpi sle, %n, %[[ZERO]] : i32
# UNARY:         arith.subf %[[FZERO]], %f : f32


@triton.jit
def booleans(p, n, m):
    tl.store(p, n > 0 and m > 0)
    tl.store(p, n > 0 or m > 0)
    tl.store(p, n > 0 and True)
    tl.static_assert((n > 0 and False) == False)
    tl.static_assert((n > 0 or True) == True)
    i = tl.arange(0, 8)
    tl.store(p + i, i, mask=(i < n) & (i > m) | (i == 0))


# BOOL-LABEL: tt.func public @booleans
# BOOL:         arith.andi %{{.+}}, %{{.+}} : i1
# BOOL:         arith.ori %{{.+}}, %{{.+}} : i1
# BOOL:         tt.store %p, %{{.+}} : !tt.ptr<i32>
# BOOL:         arith.andi %{{.+}}, %{{.+}} : tensor<8xi1>
# BOOL:         arith.ori %{{.+}}, %{{.+}} : tensor<8xi1>


@triton.jit
def inside(i, n):
    return (i < n) or (i > 7)


@triton.jit
def block_booleans(p, n):
    i = tl.arange(0, 8)
    tl.store(p + i, i, mask=(i < n) and (i > 2))
    tl.store(p + i, i, mask=inside(i, n))
    tl.store(p + i, i, mask=inside(i, n.to(tl.int64)))


# Each place once.
# WARN: warning: 'and' of blocks is computed for every element; write '&', which says so
# WARN: warning: 'or' of blocks is computed for every element; write '|', which says so


@triton.jit
def conditional(p, q, n, C: tl.constexpr):
    tl.store(p, n if C else undefined)  # the other side is not looked at
    tl.store(q, tl.load(q) if n > 0 else 0.0)
    tl.store(p, n if n else 3)
    pair = (n, 1) if n > 5 else (1, n)
    tl.store(p, pair[0] * pair[1])


# TERNARY-LABEL: tt.func public @conditional
# TERNARY:         tt.store %p, %n
# TERNARY:         scf.if %{{.+}} -> (f32) {
# TERNARY:           tt.load %q
# TERNARY:           scf.yield
# TERNARY:         } else {
# TERNARY:         arith.cmpi ne, %n,
# TERNARY:         arith.select %{{.+}}, %n, %{{.+}} : i32
# TERNARY-DAG:     arith.select %{{.+}}, %n, %{{.+}} : i32
# TERNARY-DAG:     arith.select %{{.+}}, %{{.+}}, %n : i32


@triton.jit
def subscripts(p, n):
    i = tl.arange(0, 8)
    j = tl.arange(0, 4)
    column, row = i[:, None], j[None, :]
    grid = column + row
    tl.static_assert(grid[None, :, :, None].shape == (1, 8, 4, 1))
    tl.static_assert(grid[:, None].shape == (8, 1, 4))
    tl.static_assert(i[None].shape == (1, 8))
    tl.static_assert(i[:].shape == (8,))
    tl.static_assert(i[:, :].shape == (8,))
    tl.static_assert(n[None].shape == (1,))
    S: tl.constexpr = "abc"
    tl.static_assert(S[1] == "b")
    tl.store(p + grid, grid)


# INDEX-LABEL: tt.func public @subscripts
# INDEX:         tt.expand_dims %{{.+}} {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
# INDEX:         tt.expand_dims %{{.+}} {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>


@triton.jit
def texts(p, n, C: tl.constexpr):
    tl.static_print(f"C is {C}, {C!r}, {'a'!r}, {C:03d} and {C / 2:.2f}")
    tl.static_assert(True, f"never made: {n}")
    tl.store(p, n)


# TEXT: {{^}}C is 5, 5, 'a', 005 and 2.50
