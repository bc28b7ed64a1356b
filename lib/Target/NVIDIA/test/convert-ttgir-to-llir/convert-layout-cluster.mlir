// RUN: tessera-opt %s --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir --canonicalize --cse | FileCheck %s

// Elements that change blocks: each block writes its own memory and reads from the block
// that has what it needs. None goes on before all have read.

#a = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [[256]]}>
#b = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [256]], warp = [[64], [128]], block = [[32]]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 2 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func @exchange
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: %[[REMOTE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.load %[[REMOTE]] {alignment = 8 : i64} : !llvm.ptr<7> -> vector<2xf32>
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
tt.func public @exchange(%x: !tt.ptr<f32>, %f: f32) {
  %v = tt.splat %f : f32 -> tensor<512xf32, #a>
  %w = ttg.convert_layout %v : tensor<512xf32, #a> -> tensor<512xf32, #b>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
  tt.store %p, %w : tensor<512x!tt.ptr<f32>, #b>
  tt.return
}
}
