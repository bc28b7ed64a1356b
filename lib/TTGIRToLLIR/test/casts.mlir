// Conversions on a target that has no instruction for them: by bits and by LLVM's own operations.
// RUN: tessera-opt %s --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {

// CHECK-LABEL: llvm.func @to_bytes
// CHECK-COUNT-4: llvm.trunc %{{.*}} : i32 to i8
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.return
tt.func public @to_bytes(%x: tensor<128xf32, #b>, %p: tensor<128x!tt.ptr<f8E4M3FN>, #b>) {
  %a = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32, #b> -> tensor<128xf8E4M3FN, #b>
  tt.store %p, %a : tensor<128x!tt.ptr<f8E4M3FN>, #b>
  tt.return
}

// CHECK-LABEL: llvm.func @by_bits
// CHECK-NOT: llvm.call @null
// CHECK: llvm.store
tt.func public @by_bits(%x: tensor<128xf32, #b>, %y: tensor<128xf8E4M3FN, #b>, %p: tensor<128x!tt.ptr<f8E5M2>, #b>, %q: tensor<128x!tt.ptr<f16>, #b>) {
  %a = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32, #b> -> tensor<128xf8E5M2, #b>
  %b = tt.fp_to_fp %y : tensor<128xf8E4M3FN, #b> -> tensor<128xf16, #b>
  tt.store %p, %a : tensor<128x!tt.ptr<f8E5M2>, #b>
  tt.store %q, %b : tensor<128x!tt.ptr<f16>, #b>
  tt.return
}

// Limited to the integer's range; NaN is zero.

// CHECK-LABEL: llvm.func @to_integers
// CHECK: %[[NAN:.*]] = llvm.fcmp "uno" %arg0, %arg0
// CHECK: %[[NUMBER:.*]] = llvm.select %[[NAN]], %{{.*}}, %arg0
// CHECK: llvm.fcmp "olt" %[[NUMBER]]
// CHECK: llvm.fptosi %{{.*}} : f32 to i32
// CHECK: llvm.mlir.constant(2147483647 : i32)
// CHECK: llvm.mlir.constant(2.550000e+02 : f32)
// CHECK: llvm.fptosi %{{.*}} : f32 to i32
// CHECK: llvm.trunc %{{.*}} : i32 to i8
tt.func public @to_integers(%x: f32, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>) {
  %a = arith.fptosi %x : f32 to i32
  %b = arith.fptoui %x : f32 to i8
  tt.store %p, %a : !tt.ptr<i32>
  tt.store %q, %b : !tt.ptr<i8>
  tt.return
}

// Floats of 8 bits compute in f32 and round back. Equal elements once.

// CHECK-LABEL: llvm.func @arithmetic
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : f32
// CHECK-NOT: llvm.fadd
// CHECK: llvm.return
tt.func public @arithmetic(%x: f8E4M3FN, %p: tensor<128x!tt.ptr<f8E4M3FN>, #b>) {
  %xs = tt.splat %x : f8E4M3FN -> tensor<128xf8E4M3FN, #b>
  %y = arith.addf %xs, %xs : tensor<128xf8E4M3FN, #b>
  tt.store %p, %y : tensor<128x!tt.ptr<f8E4M3FN>, #b>
  tt.return
}
}
