// RUN: tessera-opt %s --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir --canonicalize --cse | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#swap = #ttg.linear<{register = [[4], [2]], lane = [[1], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#out = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[16, 0], [32, 0]], block = []}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Within a thread a conversion renames registers: nothing is emitted for it.

// CHECK-LABEL: llvm.func @rename
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: nvvm
// CHECK: llvm.return
tt.func public @rename(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
  %v = tt.load %p {ttg.access = array<i32: 0, 4>} : tensor<512x!tt.ptr<f32>, #b>
  %w = ttg.convert_layout %v : tensor<512xf32, #b> -> tensor<512xf32, #l>
  %q = ttg.convert_layout %p : tensor<512x!tt.ptr<f32>, #b> -> tensor<512x!tt.ptr<f32>, #l>
  tt.store %q, %w : tensor<512x!tt.ptr<f32>, #l>
  tt.return
}

// A register bit and a lane bit change places: half of the registers travel.

// CHECK-LABEL: llvm.func @shuffle
// CHECK-NOT: addressof
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func public @shuffle(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
  %v = tt.load %p {ttg.access = array<i32: 0, 4>} : tensor<512x!tt.ptr<f32>, #b>
  %w = ttg.convert_layout %v : tensor<512xf32, #b> -> tensor<512xf32, #swap>
  %xt = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #swap>
  tt.store %xt, %w : tensor<512x!tt.ptr<f32>, #swap>
  tt.return
}

// Between warps: through shared memory. No register bit is common to both sides, so that
// one of them moves words; 32 lanes to 32 banks.

// CHECK-LABEL: llvm.func @transpose
// CHECK-COUNT-32: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func public @transpose(%x: !tt.ptr<f32>, %f: f32) {
  %v = tt.splat %f : f32 -> tensor<64x64xf32, #rows>
  %w = ttg.convert_layout %v : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #cols>
  %xt = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #cols>
  tt.store %xt, %w : tensor<64x64x!tt.ptr<f32>, #cols>
  tt.return
}

// Between the lanes of each warp, too much for shuffles: no barrier of the block.

// CHECK-LABEL: llvm.func @within_warps
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.stmatrix
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func public @within_warps(%x: !tt.ptr<f16>, %f: f16) {
  %v = tt.splat %f : f16 -> tensor<64x64xf16, #mma>
  %w = ttg.convert_layout %v : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #out>
  %xt = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #out>
  tt.store %xt, %w : tensor<64x64x!tt.ptr<f16>, #out>
  tt.return
}

// 64 KiB, of which registers that both sides hold take turns: two rounds of 32 KiB. A round's
// stores wait for the loads of the round before.

// CHECK-LABEL: llvm.func @rounds
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
tt.func public @rounds(%x: !tt.ptr<f32>, %f: f32) {
  %v = tt.splat %f : f32 -> tensor<128x128xf32, #wide>
  %w = ttg.convert_layout %v : tensor<128x128xf32, #wide> -> tensor<128x128xf32, #tall>
  %xt = tt.splat %x : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>, #tall>
  tt.store %xt, %w : tensor<128x128x!tt.ptr<f32>, #tall>
  tt.return
}
}
