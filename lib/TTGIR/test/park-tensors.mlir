// RUN: tessera-opt %s --ttg-park-tensors | FileCheck %s
// RUN: tessera-opt %s --ttg-park-tensors=max-shared-bytes=1024 | FileCheck %s --check-prefix=FULL

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#tile = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
!tile = tensor<64x64xf32, #b>
!sum = tensor<64x64xf32, #mma>
!buffer = !ttg.memdesc<64x64xf32, #tile, #smem>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// The use before the first dot keeps the loaded value; those behind it read a buffer, which is also the one that a user
// allocates. What one dot computes waits for the next in the same way.

// CHECK-LABEL: @two_dots
// CHECK: %[[V:.*]] = tt.load
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[V]]
// CHECK: arith.addf %[[V]], %[[V]]
// CHECK: %[[D:.*]] = tt.dot
// CHECK: ttg.local_load %[[M]] {{.*}} -> tensor<64x64xf32, #ttg.dot_op<{opIdx = 1
// CHECK: tt.dot
// CHECK: %[[W:.*]] = ttg.local_load %[[M]] {{.*}} -> tensor<64x64xf32, #blocked>
// CHECK: tt.store %{{.*}}, %[[W]]

// FULL-LABEL: @two_dots
// FULL: %[[V:.*]] = tt.load
// FULL: tt.store %{{.*}}, %[[V]]
tt.func public @two_dots(%p: tensor<64x64x!tt.ptr<f32>, #b>, %a: tensor<64x64xf32, #x>, %zero: !sum) -> (!sum, !tile) {
  %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #b>
  %early = arith.addf %v, %v : !tile
  %e = ttg.convert_layout %early : !tile -> tensor<64x64xf32, #y>
  %d = tt.dot %a, %e, %zero : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> !sum
  %m = ttg.local_alloc %v : (!tile) -> !buffer
  %r = ttg.local_load %m : !buffer -> tensor<64x64xf32, #y>
  %f = tt.dot %a, %r, %d : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> !sum
  tt.store %p, %v : tensor<64x64x!tt.ptr<f32>, #b>
  tt.return %f, %v : !sum, !tile
}
}
