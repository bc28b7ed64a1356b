// RUN: tessera-opt %s --ttg-allocate-shared-memory --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {

// Everything to memory, and back by index; indices wrap, so nothing outside is read.
// CHECK-LABEL: llvm.func @row
// CHECK: llvm.store %{{.*}} : vector<4x{{[if]}}32>, !llvm.ptr<3>
// CHECK: llvm.call @null.barrier
// CHECK: %[[LAST:.*]] = llvm.mlir.constant(511 : i32)
// CHECK: %[[I:.*]] = llvm.and %{{.*}}, %[[LAST]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
tt.func public @row(%x: tensor<512xf32, #b>, %i: tensor<512xi32, #b>, %p: tensor<512x!tt.ptr<f32>, #b>) {
  %m = tt.gather %x[%i] {axis = 0 : i32} : (tensor<512xf32, #b>, tensor<512xi32, #b>) -> tensor<512xf32, #b>
  tt.store %p, %m : tensor<512x!tt.ptr<f32>, #b>
  tt.return
}

// A warp has the rows that it asks for, and waits for nobody else.
// CHECK-LABEL: llvm.func @rows_of_warps
// CHECK: llvm.call @null.warp_barrier
// CHECK: llvm.store
// CHECK-NOT: llvm.call @null.barrier
// CHECK: llvm.call @null.warp_barrier
// CHECK: llvm.load
tt.func public @rows_of_warps(%x: tensor<4x128xf32, #r>, %i: tensor<4x128xi64, #r>, %p: tensor<4x128x!tt.ptr<f32>, #r>) {
  %m = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4x128xf32, #r>, tensor<4x128xi64, #r>) -> tensor<4x128xf32, #r>
  tt.store %p, %m : tensor<4x128x!tt.ptr<f32>, #r>
  tt.return
}
}
