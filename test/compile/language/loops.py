# `for` over range, tl.range and tl.static_range, and `while` (docs/language.md, loops).
# RUN: tessera compile %s -n ranges -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix RANGE
# RUN: tessera compile %s -n hints -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix HINT
# RUN: tessera compile %s -n types -s "*i32,i64,u32,i32" --emit ttir -o - | FileCheck %s --check-prefix TYPE
# RUN: tessera compile %s -n carried -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix CARRY
# RUN: tessera compile %s -n indices -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix AGAIN
# RUN: tessera compile %s -n unrolled -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix STATIC
# RUN: tessera compile %s -n whiles -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix WHILE
import triton
import triton.language as tl


@triton.jit
def ranges(p, n):
    for i in range(n):
        tl.store(p + i, 1)
    for i in range(2, n):
        tl.store(p + i, 2)
    for i in range(0, n, 4):
        i = i + 1  # for the rest of this iteration only
        tl.store(p + i, 3)
    for i in range(n, 0, -1):
        tl.store(p + i, 4)
    for i in tl.range(arg1=n, arg2=100, step=n):
        tl.store(p + i, 5)


# RANGE-LABEL: tt.func public @ranges
# RANGE:         scf.for %i = %c0_i32 to %n step %c1_i32
# RANGE:         scf.for %i = %c2_i32 to %n step %c1_i32
# RANGE:         scf.for %i = %c0_i32 to %n step %c4_i32
# RANGE-NEXT:      arith.addi %i, %c1_i32
# Backwards: the bounds are exchanged, and the index counted down.
# RANGE:         scf.for %[[I:.+]] = %c0_i32 to %n step %c1_i32
# RANGE-NEXT:      %[[DOWN:.+]] = arith.subi %n, %[[I]] : i32
# RANGE:           tt.addptr %p, %[[DOWN]]
# RANGE:         scf.for %i = %n to %c100_i32 step %n


@triton.jit
def hints(p, n):
    for i in tl.range(0, n, 1, num_stages=3, disallow_acc_multi_buffer=True, flatten=True, warp_specialize=True):
        tl.store(p + i, tl.load(p))
    for i in tl.range(n, disable_licm=True):
        tl.store(p + i, tl.load(p))
    for i in tl.range(n, num_stages=None, loop_unroll_factor=1, flatten=False):
        tl.store(p + i, tl.load(p))


# HINT-LABEL: tt.func public @hints
# HINT:         } {tt.disallow_acc_multi_buffer, tt.flatten, tt.num_stages = 3 : i32, tt.warp_specialize}
# HINT:         } {llvm.loop_annotation = #loop_annotation}
# HINT:         }{{( \{tt.loop_unroll_factor = 1 : i32\})?}} loc


@triton.jit
def types(p, n, u, m):
    for i in range(n):
        tl.static_assert(i.dtype == tl.int64)
    for i in range(0, u):
        tl.static_assert(i.dtype == tl.uint32)
    for i in range(10):
        tl.static_assert(i.dtype == tl.int32)
    for i in range(m, n):
        tl.static_assert(i.dtype == tl.int64)
        tl.store(p + i, 1)


# TYPE-LABEL: tt.func public @types
# TYPE:         %[[START:.+]] = arith.extsi %m : i32 to i64
# TYPE:         scf.for %i = %[[START]] to %n step %{{.+}} : i64


@triton.jit
def carried(p, n):
    total, previous, pair = 0.0, 0.0, (p, 1.0)
    kept = tl.load(p)
    for i in range(n):
        x = tl.load(pair[0]) * kept
        if x > previous:
            total += x
        previous = x
        pair = (pair[0] + 1, pair[1] * 2)
    tl.store(p, total + previous + pair[1])


# In the order of first assignment; what stays the same is not carried.
# CARRY-LABEL: tt.func public @carried
# CARRY:         %[[KEPT:.+]] = tt.load %p
# CARRY:         %{{.+}}:4 = scf.for {{.*}} iter_args(%total{{.*}} = %{{.+}}, %previous{{.*}} = %{{.+}}, %pair{{.*}} = %p, %pair{{.*}} = %{{.+}}) -> (f32, f32, !tt.ptr<f32>, f32)
# CARRY:           arith.mulf %{{.+}}, %[[KEPT]]


@triton.jit
def indices(p, n):
    """A loop's name may be used again, for a loop or for something else."""
    for i in range(n):
        tl.store(p + i, 1)
    for j in range(n):
        for i in range(n):
            tl.store(p + i + j, 2)
    for j in range(n):
        i = j * 2
    tl.store(p, i)
    for i in tl.static_range(2):
        tl.store(p + i, 3)
    for j in range(n):
        for i in tl.static_range(3):
            tl.store(p + i + j, 4)
    for i in tl.static_range(2):
        tl.store(p + i, 5)
    for j in range(n):
        if j > 2:
            for i in tl.static_range(3):
                tl.store(p + i + j, 6)
        else:
            for i in tl.static_range(0, 5, 2):
                tl.store(p + i + j, 7)
            for i in tl.static_range(1, 3):
                tl.store(p + i + j, 8)
        tl.static_assert(i == 2)  # on both paths


# AGAIN-LABEL: tt.func public @indices
# AGAIN:         scf.for
# AGAIN:         scf.for
# AGAIN-NEXT:      scf.for
# The last value, or none if there was no iteration.
# AGAIN:         %[[LAST:.+]] = scf.for %{{.+}} iter_args(%i{{.*}} = %{{.+}}) -> (i32)
# AGAIN:         tt.store %p, %[[LAST]]


@triton.jit
def unrolled(p, n):
    x = 1
    for i in tl.static_range(2, 8, 3):
        x = x * 1.5  # types may change
        y = x
        block = tl.arange(0, 2**i)
        tl.static_assert(block.shape[0] == 2**i)
    for j in tl.static_range(3, 0, -2):
        tl.store(p + j, y)
    tl.static_assert(i == 5)
    tl.static_assert(j == 1)


# STATIC-LABEL: tt.func public @unrolled
# STATIC-NOT:     scf.for
# STATIC:         %[[C3:.+]] = arith.constant 3 : i32
# STATIC-COUNT-2: tt.store
# STATIC-NOT:     tt.store


@triton.jit
def whiles(p, n):
    m = n
    while m > 0:
        m -= 2
    while m:  # until it is 0
        m += 1
    go = True
    while go and m < n:
        m += 1
        go = m != 5
    while tl.condition(m > 0, disable_licm=True):
        m = m // 2
    tl.store(p, m)


# WHILE-LABEL: tt.func public @whiles
# WHILE:         scf.while (%m{{.*}} = %n) : (i32) -> i32
# WHILE:           arith.cmpi sgt
# WHILE:           scf.condition
# WHILE:         scf.while
# WHILE:           arith.cmpi ne
# WHILE:         scf.while
# WHILE:           arith.andi
# WHILE:         scf.while
# WHILE:         } attributes {llvm.loop_annotation = #loop_annotation}
