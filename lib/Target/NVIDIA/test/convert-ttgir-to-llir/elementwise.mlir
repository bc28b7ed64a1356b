// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {

// f32's approximate instructions; half types go through f32; f64 and the rest through libdevice.

// CHECK-LABEL: llvm.func @functions
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK: %[[SCALED:.*]] = llvm.fmul
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%[[SCALED]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"
// CHECK: llvm.call @__nv_logf
// CHECK: llvm.call @__nv_exp(
// CHECK: llvm.fpext %{{.*}} : f16 to f32
// CHECK: llvm.call @__nv_sinf
// CHECK: llvm.fptrunc %{{.*}} : f32 to f16
// CHECK: llvm.fdiv %{{.*}} : f32
// CHECK: llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
tt.func public @functions(%x: f32, %d: f64, %h: f16, %p: !tt.ptr<f32>, %q: !tt.ptr<f64>, %r: !tt.ptr<f16>) {
  %0 = arith.divf %x, %x : f32
  %1 = math.exp %0 : f32
  %2 = math.sqrt %1 : f32
  %3 = math.log %2 : f32
  %4 = math.exp %d : f64
  %5 = math.sin %h : f16
  %6 = tt.precise_divf %3, %x : f32
  %7 = tt.precise_sqrt %6 : f32
  tt.store %p, %7 : !tt.ptr<f32>
  tt.store %q, %4 : !tt.ptr<f64>
  tt.store %r, %5 : !tt.ptr<f16>
  tt.return
}

// One comparison serves the four registers that it is equal for, and what is made of it.

// CHECK-LABEL: llvm.func @equal
// CHECK-COUNT-2: llvm.icmp "slt"
// CHECK-NOT: llvm.icmp
// CHECK-COUNT-2: llvm.xor %{{.*}} : i1
// CHECK-NOT: llvm.xor %{{.*}} : i1
// CHECK: llvm.return
tt.func public @equal(%i: tensor<256xi32, #b>, %n: i32, %p: tensor<256x!tt.ptr<i1>, #b>) {
  %true = arith.constant dense<true> : tensor<256xi1, #b>
  %ns = tt.splat %n : i32 -> tensor<256xi32, #b>
  %m = arith.cmpi slt, %i, %ns {ttg.equal_registers = 3 : i32} : tensor<256xi32, #b>
  %not = arith.xori %m, %true : tensor<256xi1, #b>
  tt.store %p, %not : tensor<256x!tt.ptr<i1>, #b>
  tt.return
}
}
