// RUN: tessera-opt %s --ttg-outline-functions --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {

// Control flow is lowered once; groups follow the order of elements.
// CHECK-LABEL: llvm.func private @sort.function
// CHECK: llvm.cond_br
// CHECK-LABEL: llvm.func @sort
// CHECK-SAME: %[[X0:[^:]*]]: f32, %[[X1:[^:]*]]: f32, %[[X2:[^:]*]]: f32, %[[X3:[^:]*]]: f32
// CHECK: llvm.call @sort.function(%[[X0]], %[[X1]]) : (f32, f32) -> !llvm.struct<(f32, f32)>
// CHECK: llvm.call @sort.function(%[[X2]], %[[X3]])
// CHECK-NOT: llvm.call
tt.func public @sort(%x: tensor<512xf32, #b>, %p: tensor<512x!tt.ptr<f32>, #b>) {
  %m = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %l = arith.cmpf olt, %a, %c : f32
    cf.cond_br %l, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %a, %c : f32, f32
  ^bb2:
    tt.map_elementwise.return %c, %a : f32, f32
  }) : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  tt.store %p, %m : tensor<512x!tt.ptr<f32>, #b>
  tt.return
}
}
