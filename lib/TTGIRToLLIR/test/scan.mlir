// RUN: tessera-opt %s --ttg-outline-functions --ttg-allocate-shared-memory --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {

// A thread's four, the lanes, the warps before this one; then each element once.
// CHECK-LABEL: llvm.func @sums
// CHECK-COUNT-3: llvm.fadd
// CHECK: llvm.call @null.shuffle_from
// CHECK: llvm.fadd
// CHECK: llvm.select
// CHECK-COUNT-5: llvm.call @null.shuffle_from
// CHECK-NOT: llvm.call @null.shuffle
// CHECK: llvm.call @null.masked_store_shared.f32(
// CHECK-NEXT: llvm.call @null.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.call @null.barrier
// CHECK-COUNT-7: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK: llvm.return
tt.func public @sums(%x: tensor<512xf32, #b>, %p: tensor<512x!tt.ptr<f32>, #b>) {
  %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %d: f32):
    %e = arith.addf %a, %d : f32
    tt.scan.return %e : f32
  }) : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  tt.store %p, %m : tensor<512x!tt.ptr<f32>, #b>
  tt.return
}

// Smaller than the block: every warp has it all.
// CHECK-LABEL: llvm.func @within_warps
// CHECK-COUNT-5: llvm.call @null.shuffle_from
// CHECK-NOT: llvm.call @null.barrier
// CHECK: llvm.return
tt.func public @within_warps(%x: tensor<16xi32, #w>, %p: tensor<16x!tt.ptr<i32>, #w>) {
  %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: i32, %d: i32):
    %e = arith.addi %a, %d : i32
    tt.scan.return %e : i32
  }) : (tensor<16xi32, #w>) -> tensor<16xi32, #w>
  tt.store %p, %m : tensor<16x!tt.ptr<i32>, #w>
  tt.return
}

// Only registers hold the dimension. In reverse the last element comes first.
// CHECK-LABEL: llvm.func @columns
// CHECK-SAME: %[[X0:[^:]*]]: f32, %[[X1:[^:]*]]: f32, %[[X2:[^:]*]]: f32, %[[X3:[^:]*]]: f32
// CHECK: %[[S2:.*]] = llvm.fadd %[[X3]], %[[X2]]
// CHECK: %[[S1:.*]] = llvm.fadd %[[S2]], %[[X1]]
// CHECK: llvm.fadd %[[S1]], %[[X0]]
// CHECK-NOT: llvm.call @null.shuffle
tt.func public @columns(%x: tensor<4x128xf32, #c>, %p: tensor<4x128x!tt.ptr<f32>, #c>) {
  %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %d: f32):
    %e = arith.addf %a, %d : f32
    tt.scan.return %e : f32
  }) : (tensor<4x128xf32, #c>) -> tensor<4x128xf32, #c>
  tt.store %p, %m : tensor<4x128x!tt.ptr<f32>, #c>
  tt.return
}
}
