# `if` at compile time and at run time, and what the names mean after it (docs/language.md, if).
# RUN: tessera compile %s -n compile_time -s "*i32,None,3" --emit ttir -o - | FileCheck %s --check-prefix CHOSEN
# RUN: tessera compile %s -n conditions -s "*i32,i32,fp32" --emit ttir -o - | FileCheck %s --check-prefix CONDITION
# RUN: tessera compile %s -n one_element -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix UNSPLAT
# RUN: tessera compile %s -n one_element -s "*i32,i32" --emit ttir -o %t 2>&1 | FileCheck %s --check-prefix WARN
# RUN: tessera compile %s -n merges -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix MERGE
# RUN: tessera compile %s -n constants_inside -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix INSIDE
# RUN: tessera compile %s -n objects -s "*i32,*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix OBJECT
import triton
import triton.language as tl


@triton.jit
def compile_time(p, bias, C: tl.constexpr):
    if bias is not None:
        tl.store(p, undefined)  # never looked at
    elif C:
        x = C
    else:
        also_undefined()
    if None:
        tl.store(p, undefined)
    tl.store(p, x)  # assigned in the branch that was taken


# CHOSEN-LABEL: tt.func public @compile_time
# CHOSEN:         %[[C:.+]] = arith.constant 3 : i32
# CHOSEN-NEXT:    tt.store %p, %[[C]]
# CHOSEN-NEXT:    tt.return


@triton.jit
def conditions(p, n, f):
    if n:
        tl.store(p, 1)
    if f:
        tl.store(p, 2)
    if p:
        tl.store(p, 3)
    if n == 4:
        tl.store(p, 4)
    elif n == 5:
        tl.store(p, 5)
    else:
        tl.store(p, 6)


# NaN counts as true.
# CONDITION-LABEL: tt.func public @conditions
# CONDITION:         arith.cmpi ne, %n, %{{.+}} : i32
# CONDITION:         scf.if
# CONDITION:         arith.cmpf une, %f, %{{.+}} : f32
# CONDITION:         scf.if
# CONDITION:         tt.ptr_to_int %p : !tt.ptr<i32> -> i64
# CONDITION:         scf.if
# CONDITION:         arith.cmpi eq, %n, %{{.+}} : i32
# CONDITION:         scf.if
# CONDITION:         } else {
# CONDITION:           arith.cmpi eq, %n, %{{.+}} : i32
# CONDITION:           scf.if


@triton.jit
def one_element(p, n):
    x = tl.load(p + tl.arange(0, 1))
    if x > n:
        tl.store(p, 1)


# UNSPLAT-LABEL: tt.func public @one_element
# UNSPLAT:         tt.unsplat %{{.+}} : tensor<1xi{{1|32}}>
# UNSPLAT:         scf.if
# WARN: 8: warning: a block of one element as a condition; write .item()


@triton.jit
def merges(p, n):
    x = n
    if n > 3:
        x = tl.load(p)
        y = 1.5
        only_here = x
        tl.store(p, only_here)
    else:
        y = tl.load(p).to(tl.float32)
    tl.store(p, x)
    tl.store(p, y)


# MERGE-LABEL: tt.func public @merges
# MERGE:         %[[IF:.+]]:2 = scf.if %{{.+}} -> (i32, f32) {
# MERGE:           scf.yield %{{.+}}, %{{.+}} : i32, f32
# MERGE:         } else {
# MERGE:           scf.yield %n, %{{.+}} : i32, f32
# MERGE:         tt.store %p, %[[IF]]#0
# MERGE:         arith.fptosi %[[IF]]#1


@triton.jit
def constants_inside(p, n):
    """Compile-time names of the branches are their own; the same name may follow."""
    if n > 3:
        N: tl.constexpr = 8
        tl.store(p + tl.arange(0, N), n)
        for i in tl.static_range(3):
            tl.store(p + i, 1)
    else:
        N: tl.constexpr = 16
        tl.store(p + tl.arange(0, N), n)
        for i in tl.static_range(2):
            tl.store(p + i, 2)
    N: tl.constexpr = 32
    tl.store(p + tl.arange(0, N), n)


# INSIDE-LABEL: tt.func public @constants_inside
# INSIDE:         scf.if
# INSIDE:           end = 8
# INSIDE:         } else {
# INSIDE:           end = 16
# INSIDE:         end = 32


@triton.jit
def objects(p, q, n):
    nothing = None
    r = p
    pair = (n, p)
    if n > 3:
        nothing = n  # None on the other path, and nobody asks later
        r = q
        pair = (n + 1, q)
    both = None
    if n > 4:
        both = n
    else:
        both = n * 2
    tl.store(r, pair[0])
    tl.store(pair[1], both)


# OBJECT-LABEL: tt.func public @objects
# OBJECT:         arith.select %{{.+}}, %q, %p : !tt.ptr<i32>
# OBJECT:         scf.if %{{.+}} -> (i32)
