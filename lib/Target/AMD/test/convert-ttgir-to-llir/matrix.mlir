// RUN: tessera-opt %s --amd-convert-ttgir-to-llir --split-input-file | FileCheck %s

// A warp's tile of 32x32: two instructions along K, on one vector of sums. The layout is transposed, so
// the first factor is a vector of %b.

#d = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = true}>
#x = #ttg.dot_op<{opIdx = 0, parent = #d, kWidth = 4}>
#y = #ttg.dot_op<{opIdx = 1, parent = #d, kWidth = 4}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
// CHECK-LABEL: @twice
// CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.amdgcn.mfma.f32.32x32x8f16"(%[[B:.*]], %[[A:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.32x32x8f16"(%{{.*}}, %{{.*}}, %[[S]],
// CHECK-NOT: mfma
tt.func public @twice(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1.0> : tensor<32x16xf16, #x>
  %b = arith.constant dense<2.0> : tensor<16x32xf16, #y>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #d>
  %e = tt.dot %a, %b, %c : tensor<32x16xf16, #x> * tensor<16x32xf16, #y> -> tensor<32x32xf32, #d>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #d>
  tt.store %q, %e : tensor<32x32x!tt.ptr<f32>, #d>
  tt.return
}
}

// -----

// 4x64: sixteen groups of lanes broadcast their part of K in turn (cbsz = 4, abid = 0 to 15).

#d = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [4, 64, 64], isTransposed = false}>
#x = #ttg.dot_op<{opIdx = 0, parent = #d, kWidth = 4}>
#y = #ttg.dot_op<{opIdx = 1, parent = #d, kWidth = 4}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
// CHECK-LABEL: @few_rows
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.4x4x4f16"
// CHECK-NOT: mfma
tt.func public @few_rows(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1.0> : tensor<4x64xf16, #x>
  %b = arith.constant dense<2.0> : tensor<64x64xf16, #y>
  %c = arith.constant dense<0.0> : tensor<4x64xf32, #d>
  %e = tt.dot %a, %b, %c : tensor<4x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<4x64xf32, #d>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<4x64x!tt.ptr<f32>, #d>
  tt.store %q, %e : tensor<4x64x!tt.ptr<f32>, #d>
  tt.return
}
}

// -----

// WMMA needs all lanes: assembly without text keeps the product out of branches.

#d = #ttg.amd_wmma<{version = 1, isTranspose = true, warpsPerCTA = [1, 1]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #d, kWidth = 16}>
#y = #ttg.dot_op<{opIdx = 1, parent = #d, kWidth = 16}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1100"} {
// CHECK-LABEL: @pinned
// CHECK: %[[S:.*]] = llvm.call_intrinsic "llvm.amdgcn.wmma.f32.16x16x16.f16"
// CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "", "=v,0" %[[S]]
tt.func public @pinned(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1.0> : tensor<16x16xf16, #x>
  %b = arith.constant dense<2.0> : tensor<16x16xf16, #y>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #d>
  %e = tt.dot %a, %b, %c : tensor<16x16xf16, #x> * tensor<16x16xf16, #y> -> tensor<16x16xf32, #d>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #d>
  tt.store %q, %e : tensor<16x16x!tt.ptr<f32>, #d>
  tt.return
}
}
