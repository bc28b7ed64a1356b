// RUN: tessera-opt %s --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#l = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
// CHECK: llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {

// Within a thread a conversion renames registers: nothing is emitted for it.

// CHECK-LABEL: llvm.func @rename
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[V1:.*]] = llvm.extractelement %[[V]][%{{.*}}]
// CHECK: %[[V2:.*]] = llvm.extractelement %[[V]]
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
tt.func public @rename(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %v = tt.load %p {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<f32>, #b>
  %w = ttg.convert_layout %v : tensor<128xf32, #b> -> tensor<128xf32, #l>
  %q = ttg.convert_layout %p : tensor<128x!tt.ptr<f32>, #b> -> tensor<128x!tt.ptr<f32>, #l>
  tt.store %q, %w : tensor<128x!tt.ptr<f32>, #l>
  tt.return
}

// Across threads it goes through shared memory, as wide as each side allows.

// CHECK-LABEL: llvm.func @move
// CHECK: %[[S:.*]] = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}}, %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
tt.func public @move(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %v = tt.load %p {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<f32>, #b>
  %w = ttg.convert_layout %v : tensor<128xf32, #b> -> tensor<128xf32, #c>
  %rc = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #c>
  %xc = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #c>
  %q = tt.addptr %xc, %rc : tensor<128x!tt.ptr<f32>, #c>, tensor<128xi32, #c>
  tt.store %q, %w : tensor<128x!tt.ptr<f32>, #c>
  tt.return
}
}
