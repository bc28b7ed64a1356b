// RUN: tessera-opt %s --ttg-f32-dot-tc | FileCheck %s
// RUN: tessera-opt %s --ttg-f32-dot-tc --remark-format=emitRemark --remarks-filter=ttg-f32-dot-tc 2>&1 | FileCheck %s --check-prefix=REMARK

// The remarks: a dot that stays, and how others are split.
// REMARK: [Missed] products {{.*}}Reason="tf32x3 splits operands of f32 only", Remark="the dot stays one product"
// REMARK: [Passed] products {{.*}}Reason="its input precision is tf32x3", Remark="the dot is computed as 3 products of tf32", products=3
// REMARK: [Passed] products {{.*}}Remark="the dot is computed as 6 products of bf16", products=6

// Three products of tf32, small ones first; the sum so far is added last.

// CHECK-LABEL: tt.func @tf32x3
// CHECK-SAME: %[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<16x32xf32>, %[[C:.*]]: tensor<32x32xf32>
// CHECK: %[[RA:.*]] = tt.bitcast %{{.*}} : tensor<32x16xi32> -> tensor<32x16xf32>
// CHECK: %[[AH:.*]] = arith.select %{{.*}}, %[[RA]], %[[A]]
// CHECK: %[[AL:.*]] = arith.subf %[[A]], %[[AH]]
// CHECK: %[[BH:.*]] = arith.select %{{.*}}, %{{.*}}, %[[B]]
// CHECK: %[[BL:.*]] = arith.subf %[[B]], %[[BH]]
// CHECK: %[[T0:.*]] = tt.dot %[[AL]], %[[BH]], %{{.*}}, inputPrecision = tf32 :
// CHECK: %[[T1:.*]] = tt.dot %[[AH]], %[[BL]], %[[T0]], inputPrecision = tf32 :
// CHECK: %[[N:.*]] = arith.cmpf uno, %[[T1]], %[[T1]]
// CHECK: %[[T2:.*]] = arith.select %[[N]], %{{.*}}, %[[T1]]
// CHECK: %[[T3:.*]] = tt.dot %[[AH]], %[[BH]], %[[T2]], inputPrecision = tf32 :
// CHECK: %[[D:.*]] = arith.addf %[[T3]], %[[C]]
// CHECK: tt.return %[[D]]
tt.func @tf32x3(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Nothing to add to.

// CHECK-LABEL: tt.func @from_zero
// CHECK-COUNT-3: tt.dot {{.*}} : tensor<32x16xbf16> * tensor<16x32xbf16> -> tensor<32x32xf32>
// CHECK-NOT: tt.dot
// CHECK-NOT: arith.addf
// CHECK: tt.return
tt.func @from_zero(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>) -> tensor<32x32xf32> {
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Three pieces of each; six products, of pieces that add up to 2, 2, 2, 1, 1, 0.

// CHECK-LABEL: tt.func @bf16x6
// CHECK: %[[A0:.*]] = arith.truncf %{{.*}} : tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK: %[[A1:.*]] = arith.truncf %{{.*}} : tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK: %[[A2:.*]] = arith.truncf %{{.*}} : tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK: %[[B0:.*]] = arith.truncf %{{.*}} : tensor<16x32xf32> to tensor<16x32xbf16>
// CHECK: %[[B1:.*]] = arith.truncf %{{.*}} : tensor<16x32xf32> to tensor<16x32xbf16>
// CHECK: %[[B2:.*]] = arith.truncf %{{.*}} : tensor<16x32xf32> to tensor<16x32xbf16>
// CHECK: tt.dot %[[A2]], %[[B0]],
// CHECK: tt.dot %[[A0]], %[[B2]],
// CHECK: tt.dot %[[A1]], %[[B1]],
// CHECK: tt.dot %[[A1]], %[[B0]],
// CHECK: tt.dot %[[A0]], %[[B1]],
// CHECK: arith.cmpf uno
// CHECK: tt.dot %[[A0]], %[[B0]],
tt.func @bf16x6(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// Declines: one product will do, or operands are narrow anyway.

// CHECK-LABEL: tt.func @single
// CHECK-NEXT: tt.dot {{.*}}, inputPrecision = tf32 :
// CHECK-NEXT: tt.dot %{{[^=]*}} : tensor<32x16xf32>
// CHECK-NEXT: tt.dot {{.*}}, inputPrecision = tf32x3 : tensor<32x16xf16>
// CHECK-NEXT: tt.return
tt.func @single(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>, %e: tensor<32x16xf16>, %f: tensor<16x32xf16>) -> tensor<32x32xf32> {
  %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  %1 = tt.dot %a, %b, %0 : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  %2 = tt.dot %e, %f, %1, inputPrecision = tf32x3 : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
  tt.return %2 : tensor<32x32xf32>
}
