// RUN: tessera-opt %s --ttg-coalesce --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-coalesce --split-input-file --remark-format=emitRemark --remarks-filter=ttg-coalesce 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] access-layout | Category:ttg-coalesce | Reason="dim 0 is contiguous in runs of 1024 elements, divisible by 16 bytes", Remark="each thread gets 4 neighbouring elements of 32 bits of the load", bits=32, dim=0, elements=4
// REMARK: [Missed] access-layout | Category:ttg-coalesce | Reason="addresses are only known to be divisible by 1 bytes"
// REMARK: [Missed] access-layout | Category:ttg-coalesce | Reason="no dimension is known to be contiguous"

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Aligned and consecutive: four f32 are 128 bits. Operands and results are converted.

// CHECK-DAG: #[[$A:.*]] = #ttg.blocked<{sizePerThread = [1]
// CHECK-DAG: #[[$W:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: tt.func public @wide
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} : tensor<1024x!tt.ptr<f32>, #[[$A]]> -> tensor<1024x!tt.ptr<f32>, #[[$W]]>
// CHECK: %[[M:.*]] = ttg.convert_layout %{{.*}} : tensor<1024xi1, #[[$A]]> -> tensor<1024xi1, #[[$W]]>
// CHECK: %[[V:.*]] = tt.load %[[P]], %[[M]] : tensor<1024x!tt.ptr<f32>, #[[$W]]>
// CHECK: ttg.convert_layout %[[V]] : tensor<1024xf32, #[[$W]]> -> tensor<1024xf32, #[[$A]]>
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<f32>, #[[$W]]>
tt.func public @wide(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #a>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #a>
  tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #a>
  tt.return
}

// Declines: nothing is known of the pointer's alignment, or of the addresses.

// CHECK-LABEL: tt.func public @unaligned
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @unaligned(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #a>
  %ip = tt.addptr %is, %r : tensor<1024x!tt.ptr<i32>, #a>, tensor<1024xi32, #a>
  %g = tt.load %ip : tensor<1024x!tt.ptr<i32>, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
  %p = tt.addptr %xs, %g : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #a>
  tt.return
}

// Scalars have no layout.

// CHECK-LABEL: tt.func public @scalar
// CHECK-NEXT: tt.load %arg0 : !tt.ptr<f32>
tt.func public @scalar(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %v = tt.load %x : !tt.ptr<f32>
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// f16 could move 8 at once, f32 only 4: both take 4, so nothing moves between them.

// CHECK: #[[$W:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-NOT: sizePerThread = [8]
// CHECK-LABEL: tt.func public @widen
// CHECK: tt.load {{.*}} : tensor<2048x!tt.ptr<f16>, #[[$W]]>
// CHECK: tt.store {{.*}} : tensor<2048x!tt.ptr<f32>, #[[$W]]>
tt.func public @widen(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>, #a>
  %xp = tt.addptr %xs, %r : tensor<2048x!tt.ptr<f16>, #a>, tensor<2048xi32, #a>
  %v = tt.load %xp : tensor<2048x!tt.ptr<f16>, #a>
  %w = arith.extf %v : tensor<2048xf16, #a> to tensor<2048xf32, #a>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>, #a>
  %yp = tt.addptr %ys, %r : tensor<2048x!tt.ptr<f32>, #a>, tensor<2048xi32, #a>
  tt.store %yp, %w : tensor<2048x!tt.ptr<f32>, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// 256 elements and 128 threads: two each, however wide an access could be.

// CHECK: #ttg.blocked<{sizePerThread = [2]
// CHECK-LABEL: tt.func public @small
tt.func public @small(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #a>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>, #a>, tensor<256xi32, #a>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>, #a>
  tt.store %p, %v : tensor<256x!tt.ptr<f32>, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// One atomic acts on 32 bits, or on more where the target says so.

// RUN: tessera-opt %s --ttg-coalesce=max-atomic-bits=128 --split-input-file | FileCheck %s --check-prefix=WIDE

// CHECK-LABEL: tt.func public @sum
// CHECK: tt.atomic_rmw {{.*}}tensor<1024x!tt.ptr<f32>, #[[ONE:.*]]>, tensor<1024xf32, #[[ONE]]>
// CHECK: tt.atomic_rmw {{.*}}tensor<1024x!tt.ptr<i32>, #[[ONE]]>
// WIDE-LABEL: tt.func public @sum
// WIDE: tt.atomic_rmw {{.*}}tensor<1024x!tt.ptr<f32>, #[[FOUR:.*]]>, tensor<1024xf32, #[[FOUR]]>
// WIDE: tt.atomic_rmw add{{.*}}tensor<1024x!tt.ptr<i32>, #[[ONE:.*]]>, tensor<1024xi32, #[[ONE]]>
tt.func public @sum(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %x: tensor<1024xf32, #a>, %y: tensor<1024xi32, #a>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
  %pp = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
  %o = tt.atomic_rmw fadd, acq_rel, gpu, %pp, %x : (tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xf32, #a>) -> tensor<1024xf32, #a>
  %t = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #a>
  %qp = tt.addptr %qs, %t : tensor<1024x!tt.ptr<i32>, #a>, tensor<1024xi32, #a>
  %u = tt.atomic_rmw add, acq_rel, gpu, %qp, %y : (tensor<1024x!tt.ptr<i32>, #a>, tensor<1024xi32, #a>) -> tensor<1024xi32, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 8 : i32} {
// Places of an image, as convolutions compute them: no neighbours are found. Lanes go along the
// rows, warps along the columns, so that a thread has four of each to compute places from.

// CHECK: #[[$S:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [0, 1]}>
// CHECK-LABEL: tt.func public @places
// CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f32>, #[[$S]]>
tt.func public @places(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %width: i32, %taps: i32) {
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %ws = tt.splat %width : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %ts = tt.splat %taps : i32 -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %r = arith.remsi %m, %ws : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %c = arith.remsi %k, %ts : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<128x1xi32, #a>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
  %r2 = tt.broadcast %r1 : tensor<128x1xi32, #a> -> tensor<128x32xi32, #a>
  %c2 = tt.broadcast %c1 : tensor<1x32xi32, #a> -> tensor<128x32xi32, #a>
  %o = arith.addi %r2, %c2 : tensor<128x32xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>, #a>
  %p = tt.addptr %xs, %o : tensor<128x32x!tt.ptr<f32>, #a>, tensor<128x32xi32, #a>
  %v = tt.load %p : tensor<128x32x!tt.ptr<f32>, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [8, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 8 : i32} {
// Columns that wrap around are not known to be neighbours, but most are: lanes go along the columns.

// CHECK: #[[$U:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func public @columns_that_wrap
// CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f32>, #[[$U]]>
tt.func public @columns_that_wrap(%x: !tt.ptr<f32>, %stride: i32, %columns: i32) {
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %cs = tt.splat %columns : i32 -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %c = arith.remsi %k, %cs : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<128x1xi32, #a>
  %ss = tt.splat %stride : i32 -> tensor<128x1xi32, #a>
  %row = arith.muli %m1, %ss : tensor<128x1xi32, #a>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
  %r2 = tt.broadcast %row : tensor<128x1xi32, #a> -> tensor<128x32xi32, #a>
  %c2 = tt.broadcast %c1 : tensor<1x32xi32, #a> -> tensor<128x32xi32, #a>
  %o = arith.addi %r2, %c2 : tensor<128x32xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>, #a>
  %p = tt.addptr %xs, %o : tensor<128x32x!tt.ptr<f32>, #a>, tensor<128x32xi32, #a>
  %v = tt.load %p : tensor<128x32x!tt.ptr<f32>, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 8 : i32} {
// The same places, and what was read goes to neighbours along the rows: both get the layout that the
// store gains from, so that nothing moves between them.

// CHECK: #[[$N:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 8], order = [0, 1]}>
// CHECK-LABEL: tt.func public @places_to_columns
// CHECK: tt.load %{{.*}} : tensor<128x32x!tt.ptr<f32>, #[[$N]]>
// CHECK: tt.store %{{.*}} : tensor<128x32x!tt.ptr<f32>, #[[$N]]>
tt.func public @places_to_columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %width: i32) {
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<128x1xi32, #a>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x32xi32, #a>
  %m2 = tt.broadcast %m1 : tensor<128x1xi32, #a> -> tensor<128x32xi32, #a>
  %k2 = tt.broadcast %k1 : tensor<1x32xi32, #a> -> tensor<128x32xi32, #a>
  %column = arith.constant dense<128> : tensor<128x32xi32, #a>
  %k3 = arith.muli %k2, %column : tensor<128x32xi32, #a>
  %o = arith.addi %m2, %k3 : tensor<128x32xi32, #a>
  %ws = tt.splat %width : i32 -> tensor<128x32xi32, #a>
  %r = arith.remsi %o, %ws : tensor<128x32xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>, #a>
  %xp = tt.addptr %xs, %r : tensor<128x32x!tt.ptr<f32>, #a>, tensor<128x32xi32, #a>
  %v = tt.load %xp : tensor<128x32x!tt.ptr<f32>, #a>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>, #a>
  %yp = tt.addptr %ys, %o : tensor<128x32x!tt.ptr<f32>, #a>, tensor<128x32xi32, #a>
  tt.store %yp, %v : tensor<128x32x!tt.ptr<f32>, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// All tiles of the product are square, but its operands take other layouts than its result: 16 bytes of
// i8 are loaded at once, whatever is stored.

// CHECK-DAG: #[[$IN:.*]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$OUT:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func public @square_product
// CHECK: tt.load %{{.*}} : tensor<128x128x!tt.ptr<i8>, #[[$IN]]>
// CHECK: tt.store %{{.*}} : tensor<128x128x!tt.ptr<i32>, #[[$OUT]]>
tt.func public @square_product(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<128x1xi32, #a>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x128xi32, #a>
  %row = arith.constant dense<128> : tensor<128x1xi32, #a>
  %m2 = arith.muli %m1, %row : tensor<128x1xi32, #a>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<128x1x!tt.ptr<i8>, #a>
  %xr = tt.addptr %xs, %m2 : tensor<128x1x!tt.ptr<i8>, #a>, tensor<128x1xi32, #a>
  %xb = tt.broadcast %xr : tensor<128x1x!tt.ptr<i8>, #a> -> tensor<128x128x!tt.ptr<i8>, #a>
  %kb = tt.broadcast %k1 : tensor<1x128xi32, #a> -> tensor<128x128xi32, #a>
  %xp = tt.addptr %xb, %kb : tensor<128x128x!tt.ptr<i8>, #a>, tensor<128x128xi32, #a>
  %v = tt.load %xp : tensor<128x128x!tt.ptr<i8>, #a>
  %zero = arith.constant dense<0> : tensor<128x128xi32, #a>
  %left = ttg.convert_layout %v : tensor<128x128xi8, #a> -> tensor<128x128xi8, #ttg.dot_op<{opIdx = 0, parent = #a}>>
  %right = ttg.convert_layout %v : tensor<128x128xi8, #a> -> tensor<128x128xi8, #ttg.dot_op<{opIdx = 1, parent = #a}>>
  %d = tt.dot %left, %right, %zero : tensor<128x128xi8, #ttg.dot_op<{opIdx = 0, parent = #a}>> * tensor<128x128xi8, #ttg.dot_op<{opIdx = 1, parent = #a}>> -> tensor<128x128xi32, #a>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<128x1x!tt.ptr<i32>, #a>
  %yr = tt.addptr %ys, %m2 : tensor<128x1x!tt.ptr<i32>, #a>, tensor<128x1xi32, #a>
  %yb = tt.broadcast %yr : tensor<128x1x!tt.ptr<i32>, #a> -> tensor<128x128x!tt.ptr<i32>, #a>
  %kc = tt.broadcast %k1 : tensor<1x128xi32, #a> -> tensor<128x128xi32, #a>
  %yp = tt.addptr %yb, %kc : tensor<128x128x!tt.ptr<i32>, #a>, tensor<128x128xi32, #a>
  tt.store %yp, %d : tensor<128x128x!tt.ptr<i32>, #a>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Two copies use the same indices. Indices are computed anew in any layout: the copy of bytes takes
// 16 of them at once, whatever the copy of words does.

// CHECK-DAG: #[[$BYTES:.*]] = #ttg.blocked<{sizePerThread = [16]
// CHECK-DAG: #[[$WORDS:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func public @same_indices
// CHECK: tt.load %{{.*}} : tensor<2048x!tt.ptr<i8>, #[[$BYTES]]>
// CHECK: tt.store %{{.*}} : tensor<2048x!tt.ptr<i8>, #[[$BYTES]]>
// CHECK: tt.load %{{.*}} : tensor<2048x!tt.ptr<i32>, #[[$WORDS]]>
// CHECK: tt.store %{{.*}} : tensor<2048x!tt.ptr<i32>, #[[$WORDS]]>
tt.func public @same_indices(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c2048 = arith.constant 2048 : i32
  %first = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #a>
  %step = arith.constant dense<2048> : tensor<2048xi32, #a>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<2048x!tt.ptr<i8>, #a>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>, #a>
  %last = scf.for %k = %c0 to %n step %c2048 iter_args(%i = %first) -> (tensor<2048xi32, #a>) : i32 {
    %xp = tt.addptr %xs, %i : tensor<2048x!tt.ptr<i8>, #a>, tensor<2048xi32, #a>
    %b = tt.load %xp : tensor<2048x!tt.ptr<i8>, #a>
    tt.store %xp, %b : tensor<2048x!tt.ptr<i8>, #a>
    %yp = tt.addptr %ys, %i : tensor<2048x!tt.ptr<i32>, #a>, tensor<2048xi32, #a>
    %w = tt.load %yp : tensor<2048x!tt.ptr<i32>, #a>
    tt.store %yp, %w : tensor<2048x!tt.ptr<i32>, #a>
    %next = arith.addi %i, %step : tensor<2048xi32, #a>
    scf.yield %next : tensor<2048xi32, #a>
  }
  tt.return
}
}
