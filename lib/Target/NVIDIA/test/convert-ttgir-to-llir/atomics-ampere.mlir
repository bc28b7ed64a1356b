// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir | FileCheck %s

// One warp: old values go from lane to lane. No instruction adds bf16 here: a loop.

#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: llvm.func @lanes
// CHECK: atom.relaxed.gpu.global.add.u32
// CHECK: %[[OWNERS:.*]] = llvm.mlir.constant(15 : i32)
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %[[OWNERS]]
// CHECK: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[LANE]]
// CHECK-NOT: nvvm.barrier
tt.func public @lanes(%p: tensor<16x!tt.ptr<i32>, #one>, %v: tensor<16xi32, #one>) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (tensor<16x!tt.ptr<i32>, #one>, tensor<16xi32, #one>) -> tensor<16xi32, #one>
  tt.store %p, %0 : tensor<16x!tt.ptr<i32>, #one>
  tt.return
}

// CHECK-LABEL: llvm.func @loop
// CHECK: ld.relaxed.gpu.global.b16 $0, [$2]; again: mov.b16 next, 0x3F80; fma.rn.bf16 next, $0, next, $1; atom.relaxed.gpu.global.cas.b16
// CHECK: max.bf16 next, $0, $1;
tt.func public @loop(%p: tensor<32x!tt.ptr<bf16>, #one>, %v: tensor<32xbf16, #one>) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<32x!tt.ptr<bf16>, #one>, tensor<32xbf16, #one>) -> tensor<32xbf16, #one>
  %1 = tt.atomic_rmw max, relaxed, gpu, %p, %v : (tensor<32x!tt.ptr<bf16>, #one>, tensor<32xbf16, #one>) -> tensor<32xbf16, #one>
  tt.return
}

// CHECK-LABEL: llvm.func @pairs
// CHECK: red.relaxed.gpu.global.add.noftz.f16x2 [$1], $0;
// CHECK: red.relaxed.gpu.global.add.noftz.f16x2 [$1], $0;
tt.func public @pairs(%p: tensor<128x!tt.ptr<f16>, #two>, %v: tensor<128xf16, #two>) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v {ttg.access = array<i32: 0, 4>} : (tensor<128x!tt.ptr<f16>, #two>, tensor<128xf16, #two>) -> tensor<128xf16, #two>
  tt.return
}
}
