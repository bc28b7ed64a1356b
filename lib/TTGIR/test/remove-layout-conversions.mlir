// RUN: tessera-opt %s --ttg-remove-layout-conversions --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-remove-layout-conversions --split-input-file --remark-format=emitRemark --remarks-filter=ttg-remove-layout-conversions 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] conversion {{.*}}Reason="that costs 0.0, moving costs 544.0", Remark="3 values are computed again in another layout instead of being moved"
// REMARK: [Missed] conversion {{.*}}Reason="moving costs 544.0, computing it again would cost 1088.0", Remark="a tensor of 128x64 elements of 32 bits is moved to another layout, between warps through shared memory"
// REMARK: [Missed] conversion {{.*}}Reason="it cannot be computed again"

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Index arithmetic, masks and pointers are computed again where they are
// needed; what was loaded is computed on where it is.

// CHECK: #[[$B:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func public @add
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.make_range {{.*}} : tensor<1024xi32, #[[$B]]>
// CHECK: arith.cmpi slt, {{.*}} : tensor<1024xi32, #[[$B]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: arith.addf {{.*}} : tensor<1024xf32, #[[$B]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @add(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #a>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
  %pb = ttg.convert_layout %p : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
  %mb = ttg.convert_layout %m : tensor<1024xi1, #a> -> tensor<1024xi1, #b>
  %v = tt.load %pb, %mb : tensor<1024x!tt.ptr<f32>, #b>
  %va = ttg.convert_layout %v : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
  %c = arith.constant dense<1.0> : tensor<1024xf32, #a>
  %w = arith.addf %va, %c : tensor<1024xf32, #a>
  %wb = ttg.convert_layout %w : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
  tt.store %pb, %wb, %mb : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#a1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Declines: what is loaded in one layout and stored in another has to move. Once:
// of two conversions before an addition, one is left after it.

// CHECK-DAG: #[[$A:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32]
// CHECK-DAG: #[[$B:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [32, 1]
// CHECK-LABEL: tt.func public @transposed_sum
// CHECK-COUNT-2: tt.load {{.*}} : tensor<128x64x!tt.ptr<f32>, #[[$A]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : tensor<128x64xf32, #[[$A]]>
// CHECK: ttg.convert_layout %[[SUM]] : tensor<128x64xf32, #[[$A]]> -> tensor<128x64xf32, #[[$B]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @transposed_sum(%p: tensor<128x64x!tt.ptr<f32>, #a>, %q: tensor<128x64x!tt.ptr<f32>, #b>) {
  %x = tt.load %p : tensor<128x64x!tt.ptr<f32>, #a>
  %xb = ttg.convert_layout %x : tensor<128x64xf32, #a> -> tensor<128x64xf32, #b>
  %y = tt.load %p {isVolatile = true} : tensor<128x64x!tt.ptr<f32>, #a>
  %yb = ttg.convert_layout %y : tensor<128x64xf32, #a> -> tensor<128x64xf32, #b>
  %s = arith.addf %xb, %yb : tensor<128x64xf32, #b>
  tt.store %q, %s : tensor<128x64x!tt.ptr<f32>, #b>
  tt.return
}

// Rows and columns: layouts of expanded tensors follow from the result's.

// CHECK-LABEL: tt.func public @rows
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.make_range {{.*}} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #[[$B]]}>>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store {{.*}}#[[$B]]>
tt.func public @rows(%q: tensor<128x64x!tt.ptr<i32>, #b>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #a1>
  %s = ttg.convert_layout %r : tensor<128xi32, #a1> -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %e = tt.expand_dims %s {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<128x1xi32, #a>
  %w = tt.broadcast %e : tensor<128x1xi32, #a> -> tensor<128x64xi32, #a>
  %c = ttg.convert_layout %w : tensor<128x64xi32, #a> -> tensor<128x64xi32, #b>
  tt.store %q, %c : tensor<128x64x!tt.ptr<i32>, #b>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Pointers and sums that a loop carries are carried in the layout of the loads.

// CHECK: #[[$B:.*]] = #ttg.blocked<{sizePerThread = [4]
// CHECK-LABEL: tt.func public @loop
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.for {{.*}} -> (tensor<1024xf32, #[[$B]]>, tensor<1024x!tt.ptr<f32>, #[[$B]]>)
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<1024> : tensor<1024xi32, #a>
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #a>
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #a>
  %p0 = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %p0)
      -> (tensor<1024xf32, #a>, tensor<1024x!tt.ptr<f32>, #a>) : i32 {
    %pb = ttg.convert_layout %p : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
    %v = tt.load %pb : tensor<1024x!tt.ptr<f32>, #b>
    %va = ttg.convert_layout %v : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
    %next = arith.addf %acc, %va : tensor<1024xf32, #a>
    %pn = tt.addptr %p, %step : tensor<1024x!tt.ptr<f32>, #a>, tensor<1024xi32, #a>
    scf.yield %next, %pn : tensor<1024xf32, #a>, tensor<1024x!tt.ptr<f32>, #a>
  }
  %pb = ttg.convert_layout %p0 : tensor<1024x!tt.ptr<f32>, #a> -> tensor<1024x!tt.ptr<f32>, #b>
  %sb = ttg.convert_layout %sum : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
  tt.store %pb, %sb : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// A branch yields what it computes in the layout in which it is needed.

// CHECK-LABEL: tt.func public @branch_in_loop
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.for {{.*}} -> (tensor<1024xf32, #[[$B]]>)
// CHECK: scf.if {{.*}} -> (tensor<1024xf32, #[[$B]]>)
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @branch_in_loop(%p: tensor<1024x!tt.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<1024xf32, #a>) : i32 {
    %v = tt.load %p {isVolatile = true} : tensor<1024x!tt.ptr<f32>, #b>
    %va = ttg.convert_layout %v : tensor<1024xf32, #b> -> tensor<1024xf32, #a>
    %late = arith.cmpi sgt, %i, %c1 : i32
    %next = scf.if %late -> (tensor<1024xf32, #a>) {
      %s = arith.addf %acc, %va : tensor<1024xf32, #a>
      scf.yield %s : tensor<1024xf32, #a>
    } else {
      scf.yield %acc : tensor<1024xf32, #a>
    }
    scf.yield %next : tensor<1024xf32, #a>
  }
  %sb = ttg.convert_layout %sum : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
  tt.store %p, %sb : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// Declines: converting both inputs of a branch costs more than its result.

// CHECK-LABEL: tt.func public @branch
// CHECK: scf.if {{.*}} -> (tensor<1024xf32, #[[A:.*]]>)
// CHECK: ttg.convert_layout {{.*}}#[[A]]> -> tensor<1024xf32, #[[$B]]>
tt.func public @branch(%c: i1, %f: tensor<1024xf32, #a>, %g: tensor<1024xf32, #a>, %p: tensor<1024x!tt.ptr<f32>, #b>) {
  %v = scf.if %c -> (tensor<1024xf32, #a>) {
    %s = arith.addf %f, %g : tensor<1024xf32, #a>
    scf.yield %s : tensor<1024xf32, #a>
  } else {
    scf.yield %f : tensor<1024xf32, #a>
  }
  %b = ttg.convert_layout %v : tensor<1024xf32, #a> -> tensor<1024xf32, #b>
  tt.store %p, %b : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}
}

// -----

#load = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#d2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#d1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Between two products everything is done where the first leaves it: rows are reduced
// to slices, carried around the loop as such, and spread again. In the loop only what
// was loaded and the second product's operand is converted; after it the result, once
// it is narrow.

// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma
// CHECK-LABEL: tt.func public @attention
// CHECK: scf.for {{.*}} -> (tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[$MMA]]}>>, tensor<64x64xf32, #[[$MMA]]>)
// CHECK: %[[K:.*]] = tt.load
// CHECK: ttg.convert_layout %[[K]]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.dot
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[P:.*]] = arith.truncf {{.*}} to tensor<64x64xf16, #[[$MMA]]>
// CHECK-NEXT: %[[PA:.*]] = ttg.convert_layout %[[P]]
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.yield
// CHECK: %[[O:.*]] = arith.truncf {{.*}} to tensor<64x64xf16, #[[$MMA]]>
// CHECK-NEXT: ttg.convert_layout %[[O]]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store
tt.func public @attention(%q: tensor<64x64xf16, #a>, %kp: tensor<64x64x!tt.ptr<f16>, #load>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #d2>
  %low = arith.constant dense<0xFF800000> : tensor<64xf32, #d1>
  %max, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%m = %low, %acc = %zero) -> (tensor<64xf32, #d1>, tensor<64x64xf32, #d2>) : i32 {
    %k = tt.load %kp : tensor<64x64x!tt.ptr<f16>, #load>
    %kb = ttg.convert_layout %k : tensor<64x64xf16, #load> -> tensor<64x64xf16, #b>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %qk = tt.dot %q, %kb, %z : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %qd = ttg.convert_layout %qk : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #d2>
    %r = "tt.reduce"(%qd) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %s = arith.maxnumf %x, %y : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x64xf32, #d2>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #d2}>>
    %r1 = ttg.convert_layout %r : tensor<64xf32, #ttg.slice<{dim = 1, parent = #d2}>> -> tensor<64xf32, #d1>
    %mn = arith.maxnumf %m, %r1 : tensor<64xf32, #d1>
    %ms = ttg.convert_layout %mn : tensor<64xf32, #d1> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #d2}>>
    %me = tt.expand_dims %ms {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #d2}>> -> tensor<64x1xf32, #d2>
    %mb = tt.broadcast %me : tensor<64x1xf32, #d2> -> tensor<64x64xf32, #d2>
    %d = arith.subf %qd, %mb : tensor<64x64xf32, #d2>
    %p = math.exp2 %d : tensor<64x64xf32, #d2>
    %ph = arith.truncf %p : tensor<64x64xf32, #d2> to tensor<64x64xf16, #d2>
    %pa = ttg.convert_layout %ph : tensor<64x64xf16, #d2> -> tensor<64x64xf16, #a>
    %accm = ttg.convert_layout %acc : tensor<64x64xf32, #d2> -> tensor<64x64xf32, #mma>
    %o = tt.dot %pa, %kb, %accm : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
    %od = ttg.convert_layout %o : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #d2>
    scf.yield %mn, %od : tensor<64xf32, #d1>, tensor<64x64xf32, #d2>
  }
  %oh = arith.truncf %sum : tensor<64x64xf32, #d2> to tensor<64x64xf16, #d2>
  %ol = ttg.convert_layout %oh : tensor<64x64xf16, #d2> -> tensor<64x64xf16, #load>
  tt.store %kp, %ol : tensor<64x64x!tt.ptr<f16>, #load>
  tt.return
}

// What is spread over columns moves before it is spread; a vector smaller than the
// block is read by whoever needs it, and not moved at all.

// CHECK-LABEL: tt.func public @bias
// CHECK: %[[L:.*]] = tt.load %{{.*}} : tensor<256x!tt.ptr<f32>, #[[D1:.*]]>
// CHECK: %[[S:.*]] = ttg.convert_layout %[[L]] : tensor<256xf32, #[[D1]]> -> tensor<256xf32, #ttg.slice<{dim = 1, parent = #[[ST:.*]]}>>
// CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[ST]]}>>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @bias(%p: !tt.ptr<f32>, %rows: tensor<256x!tt.ptr<f32>, #d1>, %out: tensor<256x64x!tt.ptr<f32>, #load>) {
  %x = tt.load %rows : tensor<256x!tt.ptr<f32>, #d1>
  %xs = ttg.convert_layout %x : tensor<256xf32, #d1> -> tensor<256xf32, #ttg.slice<{dim = 1, parent = #d2}>>
  %xe = tt.expand_dims %xs {axis = 1 : i32} : tensor<256xf32, #ttg.slice<{dim = 1, parent = #d2}>> -> tensor<256x1xf32, #d2>
  %xb = tt.broadcast %xe : tensor<256x1xf32, #d2> -> tensor<256x64xf32, #d2>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #d1>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #d1>
  %pp = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>, #d1>, tensor<64xi32, #d1>
  %y = tt.load %pp : tensor<64x!tt.ptr<f32>, #d1>
  %ys = ttg.convert_layout %y : tensor<64xf32, #d1> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #d2}>>
  %ye = tt.expand_dims %ys {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 0, parent = #d2}>> -> tensor<1x64xf32, #d2>
  %yb = tt.broadcast %ye : tensor<1x64xf32, #d2> -> tensor<256x64xf32, #d2>
  %s = arith.addf %xb, %yb : tensor<256x64xf32, #d2>
  %sl = ttg.convert_layout %s : tensor<256x64xf32, #d2> -> tensor<256x64xf32, #load>
  tt.store %out, %sl : tensor<256x64x!tt.ptr<f32>, #load>
  tt.return
}

// Layouts follow transpositions and reshapes both ways.

// CHECK-LABEL: tt.func public @shapes
// CHECK: %[[X:.*]] = tt.load
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.trans
// CHECK-NOT: ttg.convert_layout
// CHECK-COUNT-2: tt.reshape
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.trans
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store
tt.func public @shapes(%p: tensor<64x64x!tt.ptr<f16>, #load>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #load>
  %xd = ttg.convert_layout %x : tensor<64x64xf16, #load> -> tensor<64x64xf16, #d2>
  %t = tt.trans %xd {order = array<i32: 1, 0>} : tensor<64x64xf16, #d2> -> tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>>
  %td = ttg.convert_layout %t : tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
  %r = tt.reshape %td : tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<4096xf16, #ttg.linear<{register = [[1], [256], [512], [1024], [2048]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>>
  %rd = ttg.convert_layout %r : tensor<4096xf16, #ttg.linear<{register = [[1], [256], [512], [1024], [2048]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>> -> tensor<4096xf16, #d1>
  %j = tt.join %rd, %rd : tensor<4096xf16, #d1> -> tensor<4096x2xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>>
  %l, %h = tt.split %j : tensor<4096x2xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<4096xf16, #d1>
  %s = arith.addf %l, %h : tensor<4096xf16, #d1>
  %b = tt.reshape %s : tensor<4096xf16, #d1> -> tensor<64x64xf16, #ttg.linear<{register = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [1, 0]], block = []}>>
  %u = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x64xf16, #ttg.linear<{register = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [1, 0]], block = []}>> -> tensor<64x64xf16, #ttg.linear<{register = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 1]], block = []}>>
  %ul = ttg.convert_layout %u : tensor<64x64xf16, #ttg.linear<{register = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 1]], block = []}>> -> tensor<64x64xf16, #load>
  tt.store %p, %ul : tensor<64x64x!tt.ptr<f16>, #load>
  tt.return
}
}

// -----

#load = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 2], order = [0, 1]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [1, 0]}>
#half = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32} {
// Halves that are printed, or that nobody reads, may lie anywhere; but a thread has to have both.

// CHECK: #[[$PAIRS:.*]] = #ttg.blocked<{sizePerThread = [1, 2]
// CHECK-LABEL: tt.func public @split_for_any_layout
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[P:.*]] = ttg.convert_layout %[[X]] : {{.*}} -> tensor<256x2xi32, #[[$PAIRS]]>
// CHECK: tt.split %[[P]]
tt.func public @split_for_any_layout(%p: tensor<256x2x!tt.ptr<i32>, #load>) {
  %x = tt.load %p : tensor<256x2x!tt.ptr<i32>, #load>
  %xp = ttg.convert_layout %x : tensor<256x2xi32, #load> -> tensor<256x2xi32, #pairs>
  %l, %h = tt.split %xp : tensor<256x2xi32, #pairs> -> tensor<256xi32, #half>
  tt.print "half: " {hex = false, isSigned = array<i32: 0>} : %l : tensor<256xi32, #half>
  tt.return
}
}
