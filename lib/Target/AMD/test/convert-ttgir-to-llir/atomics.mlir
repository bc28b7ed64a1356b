// RUN: tessera-opt %s --amd-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// One thread updates a scalar: a branch. Order and scope are the program's.

// CHECK-LABEL: @scalar
// CHECK: llvm.cond_br
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("agent") release : !llvm.ptr<1>, f32
tt.func public @scalar(%p: !tt.ptr<f32>, %v: f32) {
  %o = tt.atomic_rmw fadd, release, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// Two halves are one instruction.

// CHECK-LABEL: @halves
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("agent") monotonic : !llvm.ptr<1>, vector<2xf16>
tt.func public @halves(%x: !tt.ptr<f16>, %v: f16) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f16>, #b>, tensor<128xi32, #b>
  %vs = tt.splat %v : f16 -> tensor<128xf16, #b>
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %vs {ttg.access = array<i32: 0, 2>} : (tensor<128x!tt.ptr<f16>, #b>, tensor<128xf16, #b>) -> tensor<128xf16, #b>
  tt.return
}

// One half is one of two, and its neighbour gets -0.0.

// CHECK-LABEL: @half
// CHECK: llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: llvm.mlir.constant(-0.000000e+00 : f16)
// CHECK-COUNT-2: llvm.select
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("agent") monotonic {alignment = 4 : i64} : !llvm.ptr<1>, vector<2xf16>
tt.func public @half(%p: !tt.ptr<f16>, %v: f16) {
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<f16>, f16) -> f16
  tt.return
}

// A failed comparison is a load and cannot release; the scope of all devices has no name.

// CHECK-LABEL: @swap
// CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acq_rel acquire : !llvm.ptr<1>, i32
tt.func public @swap(%p: !tt.ptr<i32>, %c: i32, %v: i32) {
  %o = tt.atomic_cas acq_rel, sys, %p, %c, %v : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}
}
