// RUN: tessera-opt %s --ttg-remove-layout-conversions --canonicalize --cse --split-input-file | FileCheck %s

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
// CHECK: scf.for {{.*}} -> (tensor<1024x!tt.ptr<f32>, #[[$B]]>, tensor<1024xf32, #[[$B]]>)
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
