// A machine with 64 lanes per warp: six bits of a lane's number take part wherever five do elsewhere.
// RUN: tessera-opt %s --ttg-outline-functions --ttg-allocate-shared-memory --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#swap = #ttg.linear<{register = [[4], [2]], lane = [[1], [8], [16], [32], [64], [128]], warp = [[256]], block = []}>
#w = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "null"} {

// The first lane of a warp is the one whose six bits are zero.

// CHECK-LABEL: llvm.func @max_of_row
// CHECK-COUNT-6: llvm.call @null.shuffle_xor.f32
// CHECK-NOT: llvm.call @null.shuffle
// CHECK: %[[LANE_BITS:.*]] = llvm.mlir.constant(63 : i32)
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %[[LANE_BITS]]
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[LANE]]
// CHECK: llvm.call @null.masked_store_shared.f32(%{{.*}}, %[[FIRST]],
// CHECK-NEXT: llvm.call @null.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.return
tt.func public @max_of_row(%x: tensor<512xf32, #b>, %p: !tt.ptr<f32>) {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.maxnumf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<512xf32, #b>) -> f32
  tt.store %p, %m : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: llvm.func @sums
// CHECK-COUNT-6: llvm.call @null.shuffle_from.f32
// CHECK: llvm.call @null.barrier
// CHECK: llvm.return
tt.func public @sums(%x: tensor<128xf32, #w>, %p: tensor<128x!tt.ptr<f32>, #w>) {
  %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %d: f32):
    %e = arith.addf %a, %d : f32
    tt.scan.return %e : f32
  }) : (tensor<128xf32, #w>) -> tensor<128xf32, #w>
  tt.store %p, %m : tensor<128x!tt.ptr<f32>, #w>
  tt.return
}

// A register bit and a lane bit change places: half of the registers travel.

// CHECK-LABEL: llvm.func @exchange
// CHECK-COUNT-2: llvm.call @null.shuffle_xor.f32
// CHECK-NOT: llvm.call @null.shuffle
// CHECK-NOT: llvm.call @null.barrier
// CHECK: llvm.return
tt.func public @exchange(%x: tensor<512xf32, #b>, %p: tensor<512x!tt.ptr<f32>, #swap>) {
  %w = ttg.convert_layout %x : tensor<512xf32, #b> -> tensor<512xf32, #swap>
  tt.store %p, %w : tensor<512x!tt.ptr<f32>, #swap>
  tt.return
}
}
