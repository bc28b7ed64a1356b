// RUN: tessera-opt %s --null-convert-ttgir-to-llir | FileCheck %s

// What a lowering made for whoever may want it, and nobody did, is not there; what a program does
// besides its results is.

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "null", "ttg.threads-per-warp" = 32 : i32} {

// CHECK-LABEL: llvm.func @unused
// CHECK-NOT: llvm.mul
// CHECK-NOT: llvm.mlir.constant
// CHECK: llvm.load volatile
// CHECK-NEXT: llvm.return
tt.func public @unused(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<32xi32, #b>
  %p = arith.muli %r, %ns : tensor<32xi32, #b>
  %v = tt.load %x {isVolatile = true} : !tt.ptr<f32>
  tt.return
}
}
