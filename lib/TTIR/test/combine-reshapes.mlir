// Reshapes that need not keep an order, or need not be.
//
// RUN: tessera-opt %s -tt-combine -split-input-file | FileCheck %s

// CHECK-LABEL: @order_unseen
tt.func @order_unseen(%x: tensor<16x8xf32>, %i: tensor<16x8xi32>) -> (f32, f32, tensor<32xi32>) {
  // CHECK: tt.reshape %{{.*}} allow_reorder
  %0 = tt.reshape %x : tensor<16x8xf32> -> tensor<128xf32>
  %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  %2 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.maxnumf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  // CHECK: tt.reshape %{{.*}} allow_reorder
  %3 = tt.reshape %i : tensor<16x8xi32> -> tensor<128xi32>
  %4 = tt.histogram %3 : tensor<128xi32> -> tensor<32xi32>
  tt.return %1, %2, %4 : f32, f32, tensor<32xi32>
}

// -----

// CHECK-LABEL: @order_seen
// CHECK-NOT: allow_reorder
tt.func @order_seen(%x: tensor<16x8xf32>, %i: tensor<16x8xi32>, %m: tensor<128xi1>) -> (f32, i32, tensor<32xi32>, f32, tensor<128xf32>, tensor<32xf32>) {
  // argmax: the indices beside the values are in order.
  %0 = tt.reshape %x : tensor<16x8xf32> -> tensor<128xf32>
  %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %1:2 = "tt.reduce"(%0, %range) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %s = arith.select %c, %a, %b : f32
    %si = arith.select %c, %ai, %bi : i32
    tt.reduce.return %s, %si : f32, i32
  }) : (tensor<128xf32>, tensor<128xi32>) -> (f32, i32)
  // So is the mask.
  %2 = tt.reshape %i : tensor<16x8xi32> -> tensor<128xi32>
  %3 = tt.histogram %2, %m : tensor<128xi32> -> tensor<32xi32>
  // Somebody else looks.
  %4 = tt.reshape %x : tensor<16x8xf32> -> tensor<128xf32>
  %5 = "tt.reduce"(%4) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  // The sums of some elements are not those of others.
  %6 = tt.reshape %x : tensor<16x8xf32> -> tensor<32x4xf32>
  %7 = "tt.reduce"(%6) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x4xf32>) -> tensor<32xf32>
  tt.return %1#0, %1#1, %3, %5, %4, %7 : f32, i32, tensor<32xi32>, f32, tensor<128xf32>, tensor<32xf32>
}

// -----

// CHECK-LABEL: @descriptor
// CHECK-SAME: (%[[D:.*]]: !tt.tensordesc<tensor<1x1x32x64xf16>>, %[[I:.*]]: i32)
tt.func @descriptor(%d: !tt.tensordesc<tensor<1x1x32x64xf16>>, %i: i32) -> (tensor<32x64xf16>, tensor<1x32x64xf16>) {
  // CHECK-NEXT: %[[L0:.*]] = tt.descriptor_load %[[D]][%[[I]], %[[I]], %[[I]], %[[I]]] cacheModifier = cg : !tt.tensordesc<tensor<1x1x32x64xf16>> -> tensor<32x64xf16>
  // CHECK-NEXT: %[[L1:.*]] = tt.descriptor_load {{.*}} -> tensor<1x32x64xf16>
  // CHECK-NEXT: tt.return %[[L0]], %[[L1]]
  %0 = tt.descriptor_load %d[%i, %i, %i, %i] cacheModifier = cg : !tt.tensordesc<tensor<1x1x32x64xf16>> -> tensor<1x1x32x64xf16>
  %1 = tt.reshape %0 : tensor<1x1x32x64xf16> -> tensor<32x64xf16>
  %2 = tt.descriptor_load %d[%i, %i, %i, %i] : !tt.tensordesc<tensor<1x1x32x64xf16>> -> tensor<1x1x32x64xf16>
  %3 = tt.reshape %2 : tensor<1x1x32x64xf16> -> tensor<1x32x64xf16>
  tt.return %1, %3 : tensor<32x64xf16>, tensor<1x32x64xf16>
}

// -----

// CHECK-LABEL: @descriptor_not
tt.func @descriptor_not(%d: !tt.tensordesc<tensor<1x32x64xf16>>, %e: !tt.tensordesc<tensor<32x1x64xf16>>, %i: i32) -> (tensor<64x32xf16>, tensor<32x64xf16>, tensor<32x64xf16>, tensor<1x32x64xf16>) {
  // Other sizes; a one in the middle; somebody else reads the block.
  // CHECK-COUNT-3: tt.reshape
  %0 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x32x64xf16>> -> tensor<1x32x64xf16>
  %1 = tt.reshape %0 : tensor<1x32x64xf16> -> tensor<64x32xf16>
  %2 = tt.descriptor_load %e[%i, %i, %i] : !tt.tensordesc<tensor<32x1x64xf16>> -> tensor<32x1x64xf16>
  %3 = tt.reshape %2 : tensor<32x1x64xf16> -> tensor<32x64xf16>
  %4 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x32x64xf16>> -> tensor<1x32x64xf16>
  %5 = tt.reshape %4 : tensor<1x32x64xf16> -> tensor<32x64xf16>
  tt.return %1, %3, %5, %4 : tensor<64x32xf16>, tensor<32x64xf16>, tensor<32x64xf16>, tensor<1x32x64xf16>
}
