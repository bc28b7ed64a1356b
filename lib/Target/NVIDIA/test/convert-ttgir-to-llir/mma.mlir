// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir --canonicalize | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a2 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#a4 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b4 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#a1 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#b1 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {

// One instruction: A's 8 halves are 4 words, B's 4 are 2. Lanes must stay together.

// CHECK-LABEL: llvm.func @half
// CHECK-COUNT-6: vector<2xf16>
// CHECK: %[[D:.*]] = llvm.call @llvm.nvvm.mma.m16n8k16.row.col.f32.f32({{.*}}) {convergent} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: llvm.extractvalue %[[D]][0]
// CHECK: llvm.extractvalue %[[D]][3]
// CHECK-NOT: mma
// CHECK: llvm.return
tt.func public @half(%a: tensor<16x16xf16, #a2>, %b: tensor<16x8xf16, #b2>, %c: tensor<16x8xf32, #mma>, %o0: tensor<16x8x!tt.ptr<f32>, #mma>) {
  %d = tt.dot %a, %b, %c : tensor<16x16xf16, #a2> * tensor<16x8xf16, #b2> -> tensor<16x8xf32, #mma>
  tt.store %o0, %d : tensor<16x8x!tt.ptr<f32>, #mma>
  tt.return
}

// K twice as long, two columns of fragments: products that do not wait for each other
// stand together.

// CHECK-LABEL: llvm.func @order
// CHECK: %[[D0:.*]] = llvm.call @llvm.nvvm.mma.m16n8k16.row.col.bf16
// CHECK: %[[E0:.*]] = llvm.extractvalue %[[D0]][0]
// CHECK: %[[D1:.*]] = llvm.call @llvm.nvvm.mma.m16n8k16.row.col.bf16
// CHECK: llvm.call @llvm.nvvm.mma.m16n8k16.row.col.bf16({{.*}}, %[[E0]], %
// CHECK: llvm.call @llvm.nvvm.mma.m16n8k16.row.col.bf16
tt.func public @order(%a: tensor<16x32xbf16, #a2>, %b: tensor<32x16xbf16, #b2>, %c: tensor<16x16xf32, #mma>, %o0: tensor<16x16x!tt.ptr<f32>, #mma>) {
  %d = tt.dot %a, %b, %c : tensor<16x32xbf16, #a2> * tensor<32x16xbf16, #b2> -> tensor<16x16xf32, #mma>
  tt.store %o0, %d : tensor<16x16x!tt.ptr<f32>, #mma>
  tt.return
}

// CHECK-LABEL: llvm.func @half_sums
// CHECK: llvm.call @llvm.nvvm.mma.m16n8k16.row.col.f16.f16({{.*}}) {convergent} : ({{.*}}) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
tt.func public @half_sums(%a: tensor<16x16xf16, #a2>, %b: tensor<16x8xf16, #b2>, %c: tensor<16x8xf16, #mma>, %o0: tensor<16x8x!tt.ptr<f16>, #mma>) {
  %d = tt.dot %a, %b, %c : tensor<16x16xf16, #a2> * tensor<16x8xf16, #b2> -> tensor<16x8xf16, #mma>
  tt.store %o0, %d : tensor<16x8x!tt.ptr<f16>, #mma>
  tt.return
}

// CHECK-LABEL: llvm.func @bytes
// CHECK: llvm.call @llvm.nvvm.mma.m16n8k32.row.col.s8({{.*}}) {convergent} : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
tt.func public @bytes(%a: tensor<16x32xi8, #a4>, %b: tensor<32x8xi8, #b4>, %c: tensor<16x8xi32, #mma>, %o0: tensor<16x8x!tt.ptr<i32>, #mma>) {
  %d = tt.dot %a, %b, %c : tensor<16x32xi8, #a4> * tensor<32x8xi8, #b4> -> tensor<16x8xi32, #mma>
  tt.store %o0, %d : tensor<16x8x!tt.ptr<i32>, #mma>
  tt.return
}

// The unit reads the upper bits of f32 as they are.

// CHECK-LABEL: llvm.func @words
// CHECK-COUNT-2: llvm.call @llvm.nvvm.mma.m16n8k8.row.col.tf32
// CHECK-COUNT-2: llvm.call @llvm.nvvm.mma.m16n8k8.row.col.f64
tt.func public @words(%a: tensor<16x16xf32, #a1>, %b: tensor<16x8xf32, #b1>, %c: tensor<16x8xf32, #mma>, %e: tensor<16x16xf64, #a1>, %f: tensor<16x8xf64, #b1>, %g: tensor<16x8xf64, #mma>, %o0: tensor<16x8x!tt.ptr<f32>, #mma>, %o1: tensor<16x8x!tt.ptr<f64>, #mma>) {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x16xf32, #a1> * tensor<16x8xf32, #b1> -> tensor<16x8xf32, #mma>
  %h = tt.dot %e, %f, %g : tensor<16x16xf64, #a1> * tensor<16x8xf64, #b1> -> tensor<16x8xf64, #mma>
  tt.store %o0, %d : tensor<16x8x!tt.ptr<f32>, #mma>
  tt.store %o1, %h : tensor<16x8x!tt.ptr<f64>, #mma>
  tt.return
}
}
