// Sums of products that are dots, and those that are not.
//
// RUN: tessera-opt %s -tt-combine -split-input-file | FileCheck %s

// CHECK-LABEL: @mkn
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<16x64xf32>)
tt.func @mkn(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  // As precise as the product was: no inputPrecision.
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
  // CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[ZERO]] : tensor<32x16xf32> * tensor<16x64xf32> -> tensor<32x64xf32>
  // CHECK-NEXT: tt.return %[[D]]
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %1 = tt.broadcast %0 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %3 = tt.broadcast %2 : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %4 = arith.mulf %1, %3 : tensor<32x16x64xf32>
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %y : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  tt.return %5 : tensor<32x64xf32>
}

// -----

// The factors swapped, and the summands.
// CHECK-LABEL: @swapped
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<16x64xf32>)
tt.func @swapped(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  // CHECK: tt.dot %[[A]], %[[B]],
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %1 = tt.broadcast %0 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %3 = tt.broadcast %2 : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %4 = arith.mulf %3, %1 : tensor<32x16x64xf32>
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %y, %x : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  tt.return %5 : tensor<32x64xf32>
}

// -----

// a[:, None, :] * b[None, :, :], summed over the last dimension.
// CHECK-LABEL: @mnk
// CHECK-SAME: (%[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<64x16xf32>)
tt.func @mnk(%a: tensor<32x16xf32>, %b: tensor<64x16xf32>) -> tensor<32x64xf32> {
  // CHECK-NEXT: %[[T:.*]] = tt.trans %[[B]] {order = array<i32: 1, 0>}
  // CHECK: tt.dot %[[A]], %[[T]], %{{.*}} : tensor<32x16xf32> * tensor<16x64xf32> -> tensor<32x64xf32>
  %0 = tt.expand_dims %a {axis = 1 : i32} : tensor<32x16xf32> -> tensor<32x1x16xf32>
  %1 = tt.broadcast %0 : tensor<32x1x16xf32> -> tensor<32x64x16xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<64x16xf32> -> tensor<1x64x16xf32>
  %3 = tt.broadcast %2 : tensor<1x64x16xf32> -> tensor<32x64x16xf32>
  %4 = arith.mulf %1, %3 : tensor<32x64x16xf32>
  %5 = "tt.reduce"(%4) <{axis = 2 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %y : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x64x16xf32>) -> tensor<32x64xf32>
  tt.return %5 : tensor<32x64xf32>
}

// -----

// a[:, :, None] * b[:, None, :], summed over the first.
// CHECK-LABEL: @kmn
// CHECK-SAME: (%[[A:.*]]: tensor<16x32xf32>, %[[B:.*]]: tensor<16x64xf32>)
tt.func @kmn(%a: tensor<16x32xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  // CHECK-NEXT: %[[T:.*]] = tt.trans %[[A]] {order = array<i32: 1, 0>}
  // CHECK: tt.dot %[[T]], %[[B]], %{{.*}} : tensor<32x16xf32> * tensor<16x64xf32> -> tensor<32x64xf32>
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %1 = tt.broadcast %0 : tensor<16x32x1xf32> -> tensor<16x32x64xf32>
  %2 = tt.expand_dims %b {axis = 1 : i32} : tensor<16x64xf32> -> tensor<16x1x64xf32>
  %3 = tt.broadcast %2 : tensor<16x1x64xf32> -> tensor<16x32x64xf32>
  %4 = arith.mulf %1, %3 : tensor<16x32x64xf32>
  %5 = "tt.reduce"(%4) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %y : f32
    tt.reduce.return %6 : f32
  }) : (tensor<16x32x64xf32>) -> tensor<32x64xf32>
  tt.return %5 : tensor<32x64xf32>
}

// -----

// CHECK-LABEL: @too_short
// CHECK-NOT: tt.dot
tt.func @too_short(%a: tensor<32x8xf32>, %b: tensor<8x64xf32>) -> tensor<32x64xf32> {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x8xf32> -> tensor<32x8x1xf32>
  %1 = tt.broadcast %0 : tensor<32x8x1xf32> -> tensor<32x8x64xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<8x64xf32> -> tensor<1x8x64xf32>
  %3 = tt.broadcast %2 : tensor<1x8x64xf32> -> tensor<32x8x64xf32>
  %4 = arith.mulf %1, %3 : tensor<32x8x64xf32>
  // CHECK: "tt.reduce"
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %y : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x8x64xf32>) -> tensor<32x64xf32>
  tt.return %5 : tensor<32x64xf32>
}

// -----

// Rounded to f16 after each step; a dot would not.
// CHECK-LABEL: @half
// CHECK-NOT: tt.dot
tt.func @half(%a: tensor<32x16xf16>, %b: tensor<16x64xf16>) -> tensor<32x64xf16> {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x16xf16> -> tensor<32x16x1xf16>
  %1 = tt.broadcast %0 : tensor<32x16x1xf16> -> tensor<32x16x64xf16>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<16x64xf16> -> tensor<1x16x64xf16>
  %3 = tt.broadcast %2 : tensor<1x16x64xf16> -> tensor<32x16x64xf16>
  %4 = arith.mulf %1, %3 : tensor<32x16x64xf16>
  // CHECK: "tt.reduce"
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f16, %y: f16):
    %6 = arith.addf %x, %y : f16
    tt.reduce.return %6 : f16
  }) : (tensor<32x16x64xf16>) -> tensor<32x64xf16>
  tt.return %5 : tensor<32x64xf16>
}

// -----

// Not a sum of both.
// CHECK-LABEL: @twice_one
// CHECK-NOT: tt.dot
tt.func @twice_one(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %1 = tt.broadcast %0 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %3 = tt.broadcast %2 : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %4 = arith.mulf %1, %3 : tensor<32x16x64xf32>
  // CHECK: "tt.reduce"
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %x : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  %7 = arith.mulf %3, %1 : tensor<32x16x64xf32>
  // CHECK: "tt.reduce"
  %8 = "tt.reduce"(%7) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %9 = arith.maxnumf %x, %y : f32
    tt.reduce.return %9 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  tt.return %5, %8 : tensor<32x64xf32>, tensor<32x64xf32>
}

// -----

// Both factors lack the same dimension; one lacks the one that is summed.
// CHECK-LABEL: @other_dimensions
// CHECK-NOT: tt.dot
tt.func @other_dimensions(%a: tensor<32x16xf32>, %b: tensor<32x16xf32>, %c: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %1 = tt.broadcast %0 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %2 = tt.expand_dims %b {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %3 = tt.broadcast %2 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %4 = arith.mulf %1, %3 : tensor<32x16x64xf32>
  // CHECK: "tt.reduce"
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %y : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  %7 = tt.expand_dims %c {axis = 1 : i32} : tensor<32x64xf32> -> tensor<32x1x64xf32>
  %8 = tt.broadcast %7 : tensor<32x1x64xf32> -> tensor<32x16x64xf32>
  %9 = arith.mulf %1, %8 : tensor<32x16x64xf32>
  // CHECK: "tt.reduce"
  %10 = "tt.reduce"(%9) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %11 = arith.addf %x, %y : f32
    tt.reduce.return %11 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  tt.return %5, %10 : tensor<32x64xf32>, tensor<32x64xf32>
}

// -----

// The product is needed as it is.
// CHECK-LABEL: @product_used
// CHECK-NOT: tt.dot
tt.func @product_used(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> (tensor<32x64xf32>, tensor<32x16x64xf32>) {
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %1 = tt.broadcast %0 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %2 = tt.expand_dims %b {axis = 0 : i32} : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %3 = tt.broadcast %2 : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %4 = arith.mulf %1, %3 : tensor<32x16x64xf32>
  // CHECK: "tt.reduce"
  %5 = "tt.reduce"(%4) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %6 = arith.addf %x, %y : f32
    tt.reduce.return %6 : f32
  }) : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  tt.return %5, %4 : tensor<32x64xf32>, tensor<32x16x64xf32>
}
