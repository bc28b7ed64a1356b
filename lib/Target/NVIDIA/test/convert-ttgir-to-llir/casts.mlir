// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir --split-input-file | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {

// Two at a time where the chip can.

// CHECK-LABEL: llvm.func @to_bytes
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.f16x2.to.e5m2x2.rn"
tt.func public @to_bytes(%x: tensor<128xf32, #b>, %y: tensor<128xf16, #b>, %p: tensor<128x!tt.ptr<f8E4M3FN>, #b>, %q: tensor<128x!tt.ptr<f8E5M2>, #b>) {
  %a = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32, #b> -> tensor<128xf8E4M3FN, #b>
  %b = tt.fp_to_fp %y, rounding = rtne : tensor<128xf16, #b> -> tensor<128xf8E5M2, #b>
  tt.store %p, %a : tensor<128x!tt.ptr<f8E4M3FN>, #b>
  tt.store %q, %b : tensor<128x!tt.ptr<f8E5M2>, #b>
  tt.return
}

// An e5m2 is the upper byte of an f16; e4m3 needs the instruction, and f32 lies above f16.

// CHECK-LABEL: llvm.func @from_bytes
// CHECK-NOT: e5m2
// CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to vector<2xf16>
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
// CHECK-COUNT-4: llvm.fpext %{{.*}} : f16 to f32
tt.func public @from_bytes(%x: tensor<128xf8E5M2, #b>, %y: tensor<128xf8E4M3FN, #b>, %p: tensor<128x!tt.ptr<f16>, #b>, %q: tensor<128x!tt.ptr<f32>, #b>) {
  %a = tt.fp_to_fp %x : tensor<128xf8E5M2, #b> -> tensor<128xf16, #b>
  %b = tt.fp_to_fp %y : tensor<128xf8E4M3FN, #b> -> tensor<128xf32, #b>
  tt.store %p, %a : tensor<128x!tt.ptr<f16>, #b>
  tt.store %q, %b : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// CHECK-LABEL: llvm.func @toward_zero
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rz"
// CHECK: llvm.call_intrinsic "llvm.nvvm.d2f.rz"(%{{.*}}) : (f64) -> f32
tt.func public @toward_zero(%x: tensor<128xf32, #b>, %y: f64, %p: tensor<128x!tt.ptr<f16>, #b>, %q: !tt.ptr<f32>) {
  %a = tt.fp_to_fp %x, rounding = rtz : tensor<128xf32, #b> -> tensor<128xf16, #b>
  %b = tt.fp_to_fp %y, rounding = rtz : f64 -> f32
  tt.store %p, %a : tensor<128x!tt.ptr<f16>, #b>
  tt.store %q, %b : !tt.ptr<f32>
  tt.return
}

// Four to a word.

// CHECK-LABEL: llvm.func @to_int8
// CHECK: llvm.inline_asm {{.*}}cvt.rzi.s32.f32 a, $1;{{.*}}cvt.pack.sat.s8.s32.b32 $0, d, c, 0;{{.*}}cvt.pack.sat.s8.s32.b32 $0, b, a, $0;{{.*}}"=&r,f,f,f,f"
// CHECK-NOT: cvt.rzi.s8
// CHECK: llvm.return
tt.func public @to_int8(%x: tensor<128xf32, #b>, %p: tensor<128x!tt.ptr<i8>, #b>) {
  %a = arith.fptosi %x : tensor<128xf32, #b> to tensor<128xi8, #b>
  tt.store %p, %a : tensor<128x!tt.ptr<i8>, #b>
  tt.return
}

// Limited to the integer's range by the instruction; NaN is zero, which the instruction
// gives only for 32 bits.

// CHECK-LABEL: llvm.func @to_integers
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%arg0) : (f32) -> i32
// CHECK: llvm.inline_asm "cvt.rzi.u8.f32 $0, $1;", "=h,f" %arg0
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2ll.rz"(%arg0) : (f32) -> i64
// CHECK: llvm.fcmp "uno" %arg0, %arg0
// CHECK: llvm.select
tt.func public @to_integers(%x: f32, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %r: !tt.ptr<i64>) {
  %a = arith.fptosi %x : f32 to i32
  %b = arith.fptoui %x : f32 to i8
  %c = arith.fptosi %x : f32 to i64
  tt.store %p, %a : !tt.ptr<i32>
  tt.store %q, %b : !tt.ptr<i8>
  tt.store %r, %c : !tt.ptr<i64>
  tt.return
}

// Floats of 8 bits compute in f32 and round back. Equal elements once.

// CHECK-LABEL: llvm.func @arithmetic
// CHECK: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"
// CHECK-NOT: llvm.fadd
// CHECK: llvm.return
tt.func public @arithmetic(%x: f8E4M3FN, %p: tensor<128x!tt.ptr<f8E4M3FN>, #b>) {
  %xs = tt.splat %x : f8E4M3FN -> tensor<128xf8E4M3FN, #b>
  %y = arith.addf %xs, %xs : tensor<128xf8E4M3FN, #b>
  tt.store %p, %y : tensor<128x!tt.ptr<f8E4M3FN>, #b>
  tt.return
}
}

// -----

// Older chips: bits, and bf16 by way of an f32 that remembers what it lost.

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: llvm.func @by_bits
// CHECK-NOT: llvm.call_intrinsic
// CHECK: llvm.return
tt.func public @by_bits(%x: f32, %y: f8E4M3FN, %p: !tt.ptr<f8E5M2>, %q: !tt.ptr<f16>) {
  %a = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E5M2
  %b = tt.fp_to_fp %y : f8E4M3FN -> f16
  tt.store %p, %a : !tt.ptr<f8E5M2>
  tt.store %q, %b : !tt.ptr<f16>
  tt.return
}

// CHECK-LABEL: llvm.func @from_integers
// CHECK: %[[F:.*]] = llvm.call_intrinsic "llvm.nvvm.ll2f.rz"(%arg0)
// CHECK: %[[BACK:.*]] = llvm.call_intrinsic "llvm.nvvm.f2ll.rz"(%[[F]])
// CHECK: llvm.icmp "ne" %[[BACK]], %arg0
// CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
// CHECK: llvm.sitofp %arg0 : i64 to f16
tt.func public @from_integers(%x: i64, %p: !tt.ptr<bf16>, %q: !tt.ptr<f16>) {
  %a = arith.sitofp %x : i64 to bf16
  %b = arith.sitofp %x : i64 to f16
  tt.store %p, %a : !tt.ptr<bf16>
  tt.store %q, %b : !tt.ptr<f16>
  tt.return
}
}
