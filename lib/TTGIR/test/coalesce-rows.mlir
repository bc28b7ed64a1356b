// Accesses of single elements: which rows a thread has.
// RUN: tessera-opt %s --ttg-coalesce | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Rows at any distance: one element at a time. A thread has several of a row.

// CHECK: #[[$R:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func public @rows_at_any_distance
// CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #[[$R]]>
tt.func public @rows_at_any_distance(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32) {
  %m = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<64x1xi32, #a>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x64xi32, #a>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32, #a>
  %rows = arith.muli %m1, %s : tensor<64x1xi32, #a>
  %m2 = tt.broadcast %rows : tensor<64x1xi32, #a> -> tensor<64x64xi32, #a>
  %k2 = tt.broadcast %k1 : tensor<1x64xi32, #a> -> tensor<64x64xi32, #a>
  %o = arith.addi %m2, %k2 : tensor<64x64xi32, #a>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #a>
  %p = tt.addptr %xs, %o : tensor<64x64x!tt.ptr<f16>, #a>, tensor<64x64xi32, #a>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #a>
  tt.return
}
}
