// RUN: tessera-opt %s --ttg-decompose-scaled-dot --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tessera-opt %s --ttg-decompose-scaled-dot=min-scaled-inner=64 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=NATIVE
// RUN: not tessera-opt %s --ttg-decompose-scaled-dot --split-input-file --remark-format=emitRemark --remarks-filter=ttg-decompose-scaled-dot 2>&1 | FileCheck %s --check-prefix=REMARK

// The remarks: the type of the dot that follows, and why.
// REMARK: [Passed] arithmetic {{.*}}Reason="elements times scales have up to 4 significant bits", Remark="operands are multiplied by their scales, and a dot of bf16 follows", bits=4
// REMARK: [Passed] arithmetic {{.*}}a dot of f16 follows", bits=11
// REMARK: [Passed] arithmetic {{.*}}up to 11 significant bits and exceed the range of f16", {{.*}}a dot of tf32 follows", bits=11
// REMARK: [Passed] arithmetic {{.*}}a dot of tf32x3 follows", bits=12


// Pairs of e2m1 along K and exponents: exact in bf16. A scale of 0 is a subnormal, 255 is NaN.

// With instructions that multiply with scales it stays.

// NATIVE-LABEL: tt.func @fp4
// NATIVE-NEXT: tt.dot_scaled
// CHECK-LABEL: tt.func @fp4
// CHECK-SAME: %[[A:.*]]: tensor<32x32xi8>, %[[SA:.*]]: tensor<32x2xi8>, %[[B:.*]]: tensor<64x16xf8E4M3FN>, %[[SB:.*]]: tensor<16x2xi8>
// CHECK: %[[X:.*]] = ttg.fp4_to_fp %[[A]] {axis = 1 : i32} : tensor<32x32xi8> -> tensor<32x64xbf16>
// CHECK: %[[E:.*]] = arith.extui %[[SA]] : tensor<32x2xi8> to tensor<32x2xi16>
// CHECK: arith.constant dense<7> : tensor<32x2xi16>
// CHECK: %[[P0:.*]] = arith.shli %[[E]]
// CHECK: %[[TINY:.*]] = arith.constant dense<64> : tensor<32x2xi16>
// CHECK: %[[P1:.*]] = arith.select %{{.*}}, %[[TINY]], %[[P0]]
// CHECK: %[[NAN:.*]] = arith.constant dense<32704> : tensor<32x2xi16>
// CHECK: %[[P2:.*]] = arith.select %{{.*}}, %[[NAN]], %[[P1]]
// CHECK: %[[P:.*]] = tt.bitcast %[[P2]] : tensor<32x2xi16> -> tensor<32x2xbf16>
// CHECK: tt.expand_dims %[[P]] {axis = 2 : i32} : tensor<32x2xbf16> -> tensor<32x2x1xbf16>
// CHECK: tt.broadcast %{{.*}} : tensor<32x2x1xbf16> -> tensor<32x2x32xbf16>
// CHECK: tt.reshape %{{.*}} : tensor<32x2x32xbf16> -> tensor<32x64xbf16>
// CHECK: %[[L:.*]] = arith.mulf %[[X]], %{{.*}} : tensor<32x64xbf16>
// CHECK: %[[Y:.*]] = tt.fp_to_fp %[[B]] : tensor<64x16xf8E4M3FN> -> tensor<64x16xbf16>
// CHECK: tt.reshape %{{.*}} : tensor<16x2x32xbf16> -> tensor<16x64xbf16>
// CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<16x64xbf16> -> tensor<64x16xbf16>
// CHECK: %[[R:.*]] = arith.mulf %[[Y]], %{{.*}} : tensor<64x16xbf16>
// CHECK: tt.dot %[[L]], %[[R]], %{{[^=]*}} : tensor<32x64xbf16> * tensor<64x16xbf16> -> tensor<32x16xf32>
tt.func @fp4(%a: tensor<32x32xi8>, %sa: tensor<32x2xi8>, %b: tensor<64x16xf8E4M3FN>, %sb: tensor<16x2xi8>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<32x32xi8>, tensor<32x2xi8> * tensor<64x16xf8E4M3FN>, tensor<16x2xi8> -> tensor<32x16xf32>
  tt.return %d : tensor<32x16xf32>
}

// Pairs along M and N; no scale on the left.

// NATIVE-LABEL: tt.func @pairs_along_the_outer_axis
// NATIVE-NOT: tt.dot_scaled
// CHECK-LABEL: tt.func @pairs_along_the_outer_axis
// CHECK: ttg.fp4_to_fp %{{.*}} {axis = 0 : i32} : tensor<16x64xi8> -> tensor<32x64xbf16>
// CHECK: ttg.fp4_to_fp %{{.*}} {axis = 1 : i32} : tensor<64x8xi8> -> tensor<64x16xbf16>
// CHECK-COUNT-1: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: tt.dot
tt.func @pairs_along_the_outer_axis(%a: tensor<16x64xi8>, %b: tensor<64x8xi8>, %sb: tensor<16x2xi8>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %d = tt.dot_scaled %a, %b scale %sb, %c lhs = e2m1 rhs = e2m1 {fastMath = true, lhs_k_pack = false, rhs_k_pack = false} : tensor<16x64xi8> * tensor<64x8xi8>, tensor<16x2xi8> -> tensor<32x16xf32>
  tt.return %d : tensor<32x16xf32>
}

// 11 bits: f16 without scales, tf32 with exponents.

// NATIVE-LABEL: tt.func @half
// NATIVE-NOT: tt.dot_scaled
// CHECK-LABEL: tt.func @half
// CHECK: tt.fp_to_fp %{{.*}} : tensor<64x16xf8E5M2> -> tensor<64x16xf16>
// CHECK: tt.dot {{.*}} : tensor<32x64xf16> * tensor<64x16xf16> -> tensor<32x16xf32>
// CHECK: arith.extf %{{.*}} : tensor<32x64xf16> to tensor<32x64xf32>
// CHECK: arith.shli %{{.*}} : tensor<32x2xi32>
// CHECK: tt.dot {{.*}}, inputPrecision = tf32 : tensor<32x64xf32> * tensor<64x16xf32> -> tensor<32x16xf32>
tt.func @half(%a: tensor<32x64xf16>, %sa: tensor<32x2xi8>, %b: tensor<64x16xf8E5M2>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %d = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = e5m2 {fastMath = false} : tensor<32x64xf16> * tensor<64x16xf8E5M2> -> tensor<32x16xf32>
  %e = tt.dot_scaled %a scale %sa, %b, %d lhs = fp16 rhs = e5m2 {fastMath = false} : tensor<32x64xf16>, tensor<32x2xi8> * tensor<64x16xf8E5M2> -> tensor<32x16xf32>
  tt.return %e : tensor<32x16xf32>
}

// bf16 times an fp8 scale has 12 bits; elements that come as bytes.

// NATIVE-LABEL: tt.func @float_scales
// NATIVE-NOT: tt.dot_scaled
// CHECK-LABEL: tt.func @float_scales
// CHECK: arith.extf %{{.*}} : tensor<32x64xbf16> to tensor<32x64xf32>
// CHECK: tt.fp_to_fp %{{.*}} : tensor<32x4xf8E4M3FN> -> tensor<32x4xf32>
// CHECK: tt.broadcast %{{.*}} -> tensor<32x4x16xf32>
// CHECK: tt.bitcast %{{.*}} : tensor<64x16xi8> -> tensor<64x16xf8E5M2>
// CHECK: tt.dot {{.*}}, inputPrecision = tf32x3 :
tt.func @float_scales(%a: tensor<32x64xbf16>, %sa: tensor<32x4xf8E4M3FN>, %b: tensor<64x16xi8>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = bf16 rhs = e5m2 {fastMath = false} : tensor<32x64xbf16>, tensor<32x4xf8E4M3FN> * tensor<64x16xi8> -> tensor<32x16xf32>
  tt.return %d : tensor<32x16xf32>
}

// -----

tt.func @six_bits(%a: tensor<32x64xi8>, %b: tensor<64x16xi8>, %c: tensor<32x16xf32>) -> tensor<32x16xf32> {
  // expected-error @+1 {{unsupported: scaled product of e2m3; use e2m1, e4m3, e5m2, bf16 or fp16}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = e5m2 {fastMath = false} : tensor<32x64xi8> * tensor<64x16xi8> -> tensor<32x16xf32>
  tt.return %d : tensor<32x16xf32>
}
