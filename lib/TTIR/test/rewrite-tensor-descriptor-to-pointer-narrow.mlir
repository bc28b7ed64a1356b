// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer=narrow-indices | FileCheck %s
// Indices have the 32 bits of sizes and offsets; distances have 64.

// One comparison a dimension: an index that is negative or has wrapped is, without sign, too large.
// CHECK-LABEL: tt.func @load(
// CHECK-SAME:    %[[BASE:.*]]: !tt.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[STRIDE:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK:         %[[ROW_OFFSETS:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
// CHECK:         %[[ROW:.*]] = tt.splat %[[I]] : i32 -> tensor<32xi32>
// CHECK:         %[[ROWS:.*]] = arith.addi %[[ROW]], %[[ROW_OFFSETS]] : tensor<32xi32>
// CHECK:         %[[TALL:.*]] = tt.expand_dims %[[ROWS]] {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[TALL]] : tensor<32x1xi32> to tensor<32x1xi64>
// CHECK:         %[[STRIDES:.*]] = tt.splat %[[STRIDE]] : i64 -> tensor<32x1xi64>
// CHECK:         arith.muli %[[WIDE]], %[[STRIDES]] : tensor<32x1xi64>
// CHECK:         %[[SIZES:.*]] = tt.splat %[[M]] : i32 -> tensor<32x1xi32>
// CHECK:         arith.cmpi ult, %[[TALL]], %[[SIZES]] : tensor<32x1xi32>
// CHECK:         arith.cmpi ult, %{{.*}} : tensor<1x64xi32>
// CHECK-NOT:     arith.cmpi
// CHECK:         tt.load
tt.func @load(%base: !tt.ptr<f16>, %m: i32, %n: i32, %stride: i64, %i: i32, %j: i32) -> tensor<32x64xf16> {
  %one = arith.constant 1 : i64
  %desc = tt.make_tensor_descriptor %base, [%m, %n], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
  %block = tt.descriptor_load %desc[%i, %j] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  tt.return %block : tensor<32x64xf16>
}

// Rows that are named one by one stay as they are.
// CHECK-LABEL: tt.func @gather(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: tensor<16xi32>
// CHECK:         tt.expand_dims %[[ROWS]] {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
// CHECK:         arith.cmpi ult, %{{.*}} : tensor<16x1xi32>
tt.func @gather(%desc: !tt.tensordesc<tensor<1x32xf32>>, %rows: tensor<16xi32>, %column: i32) -> tensor<16x32xf32> {
  %block = tt.descriptor_gather %desc[%rows, %column] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32) -> tensor<16x32xf32>
  tt.return %block : tensor<16x32xf32>
}
