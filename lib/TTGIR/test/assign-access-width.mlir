// RUN: tessera-opt %s --ttg-assign-access-width | FileCheck %s
// RUN: tessera-opt %s --ttg-assign-access-width=max-vector-bits=64 | FileCheck %s --check-prefix=NARROW

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {

// CHECK-LABEL: tt.func public @masked
// CHECK: tt.load {{.*}} {ttg.access = array<i32: 0, 4>} : tensor<1024x!tt.ptr<f32>
// CHECK: tt.store {{.*}} {ttg.access = array<i32: 0, 4>}
// NARROW-LABEL: tt.func public @masked
// NARROW: tt.load {{.*}} {ttg.access = array<i32: 0, 2>}
tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// The mask may end inside a vector: nothing after its end is masked in.

// CHECK-LABEL: tt.func public @ragged
// CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}} {ttg.access = array<i32: 0, 4>, ttg.prefix_mask} : tensor<1024x!tt.ptr<f32>
// Others may change what a volatile load reads: it stays one access per element.
// CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}} {isVolatile = true} : tensor<1024x!tt.ptr<f32>
// CHECK: tt.store %{{.*}} {ttg.access = array<i32: 0, 4>, ttg.prefix_mask} : tensor<1024x!tt.ptr<f32>
// Declines: an element that is masked in may stand after one that is not.
// CHECK: tt.store %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : tensor<1024x!tt.ptr<f32>
tt.func public @ragged(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #b>, tensor<1024xi32, #b>
  %v = tt.load %p, %m {ttg.prefix_mask} : tensor<1024x!tt.ptr<f32>, #b>
  %w = tt.load %p, %m {isVolatile = true, ttg.prefix_mask} : tensor<1024x!tt.ptr<f32>, #b>
  tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #b>
  %q = arith.cmpi sge, %r, %ns : tensor<1024xi32, #b>
  tt.store %p, %w, %q {ttg.prefix_mask} : tensor<1024x!tt.ptr<f32>, #b>
  tt.return
}

// Declines: a thread holds no neighbours. What a file claims is not believed.

// CHECK-LABEL: tt.func public @spread
// CHECK: tt.load %{{[0-9]+}} : tensor<1024x!tt.ptr<f32>
tt.func public @spread(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #c>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #c>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #c>, tensor<1024xi32, #c>
  %v = tt.load %p {ttg.access = array<i32: 0, 4>} : tensor<1024x!tt.ptr<f32>, #c>
  tt.return
}

// Four comparisons of a thread have one result where the limit is a multiple of 16; of
// 2, two have; of 1, none.

// CHECK-LABEL: tt.func public @equal
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} {ttg.equal_registers = 3 : i32}
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} {ttg.equal_registers = 1 : i32}
// CHECK: arith.cmpi slt, %{{[^{]*}} : tensor<1024xi32
tt.func public @equal(%x: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %o: i32 {tt.divisibility = 2 : i32}, %q: i32) -> (tensor<1024xi1, #b>, tensor<1024xi1, #b>, tensor<1024xi1, #b>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
  %os = tt.splat %o : i32 -> tensor<1024xi32, #b>
  %qs = tt.splat %q : i32 -> tensor<1024xi32, #b>
  %a = arith.cmpi slt, %r, %ns : tensor<1024xi32, #b>
  %b = arith.cmpi slt, %r, %os : tensor<1024xi32, #b>
  %c = arith.cmpi slt, %r, %qs {ttg.equal_registers = 3 : i32} : tensor<1024xi32, #b>
  tt.return %a, %b, %c : tensor<1024xi1, #b>, tensor<1024xi1, #b>, tensor<1024xi1, #b>
}
}
