// RUN: tessera-opt --split-input-file --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s

// In place: one address for load and store needs no guard and no slow twin.

// CHECK-LABEL: llvm.func @in_place
// CHECK-NOT: llvm.call @malloc
// CHECK-NOT: llvm.icmp "ule"
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.return
tt.func public @in_place(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %x = tt.load %a : tensor<16x!tt.ptr<f32>>
  %y = arith.addf %x, %x : tensor<16xf32>
  tt.store %a, %y : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// A stride is a gather with addresses computed from one base; the step is
// known only at run time.

// CHECK-LABEL: llvm.func @strided
// CHECK: llvm.intr.masked.gather {{.*}} -> vector<16xf32>
tt.func public @strided(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %stride: i64) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %st = tt.splat %stride : i64 -> tensor<64xi64>
  %o = arith.muli %w, %st : tensor<64xi64>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %s, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %x = tt.load %a : tensor<64x!tt.ptr<f32>>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %b, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Addresses from memory cannot be compared with the store's: the gather ends
// in a tile on the stack, and the store reads that.

// CHECK-LABEL: llvm.func @gather
// CHECK: llvm.alloca {{.*}} x i8 {alignment = 64 : i64}
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK: llvm.load {{.*}} -> vector<32xf32>
// CHECK: llvm.store {{.*}} : vector<32xf32>
tt.func public @gather(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %i: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ia = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %o = tt.load %ia : tensor<64x!tt.ptr<i32>>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %s, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<f32>>
  %t = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %b = tt.addptr %t, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %b, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// A column vector is loaded once per row, outside the vector loop.

// CHECK-LABEL: llvm.func @row_values
// CHECK: llvm.load {{.*}} -> f32
// CHECK: llvm.store {{.*}} : vector<32xf32>
tt.func public @row_values(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %pa : tensor<4x!tt.ptr<f32>>
  %v2 = tt.expand_dims %v {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %vb = tt.broadcast %v2 : tensor<4x1xf32> -> tensor<4x32xf32>
  %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %w = arith.constant dense<32> : tensor<4x1xi32>
  %ro = arith.muli %r2, %w : tensor<4x1xi32>
  %rb = tt.broadcast %ro : tensor<4x1xi32> -> tensor<4x32xi32>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %cb = tt.broadcast %c2 : tensor<1x32xi32> -> tensor<4x32xi32>
  %o = arith.addi %rb, %cb : tensor<4x32xi32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>>
  %qa = tt.addptr %qs, %o : tensor<4x32x!tt.ptr<f32>>, tensor<4x32xi32>
  tt.store %qa, %vb : tensor<4x32x!tt.ptr<f32>>
  tt.return
}

// -----

// Division cannot trap: the divisor is made safe first.

// CHECK-LABEL: llvm.func @divide
// CHECK: llvm.icmp "eq"
// CHECK: llvm.select
// CHECK: llvm.sdiv
tt.func public @divide(%p: !tt.ptr<i32>, %a: i32, %b: i32) {
  %q = arith.divsi %a, %b : i32
  tt.store %p, %q : !tt.ptr<i32>
  tt.return
}
