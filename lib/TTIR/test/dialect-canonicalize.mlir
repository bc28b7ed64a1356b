// Folds and canonical forms of single tt ops, and what they leave alone.
//
// RUN: tessera-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @casts
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[P:.*]]: !tt.ptr<f32>)
tt.func @casts(%x: tensor<8xf32>, %p: !tt.ptr<f32>) -> (tensor<8xf32>, tensor<8xf8E5M2>, f16, !tt.ptr<f32>, tensor<8xf16>, tensor<8xf8E4M3FNUZ>) {
  // CHECK-DAG: %[[F8:.*]] = arith.constant dense<-0.000000e+00> : tensor<8xf8E5M2>
  // CHECK-DAG: %[[F16:.*]] = arith.constant 0.000000e+00 : f16
  // There is no negative zero in this format.
  // CHECK-DAG: %[[FNUZ:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf8E4M3FNUZ>
  %0 = tt.fp_to_fp %x : tensor<8xf32> -> tensor<8xf32>
  %negative = arith.constant dense<-0.0> : tensor<8xf32>
  %1 = tt.fp_to_fp %negative, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %zero = arith.constant 0.0 : f32
  %2 = tt.fp_to_fp %zero, rounding = rtz : f32 -> f16
  %3 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32>
  // Rounding is the target's business.
  // CHECK: %[[KEPT:.*]] = tt.fp_to_fp
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %4 = tt.fp_to_fp %one, rounding = rtne : tensor<8xf32> -> tensor<8xf16>
  %5 = tt.fp_to_fp %negative, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FNUZ>
  // CHECK: tt.return %[[X]], %[[F8]], %[[F16]], %[[P]], %[[KEPT]], %[[FNUZ]]
  tt.return %0, %1, %2, %3, %4, %5 : tensor<8xf32>, tensor<8xf8E5M2>, f16, !tt.ptr<f32>, tensor<8xf16>, tensor<8xf8E4M3FNUZ>
}

// -----

// CHECK-LABEL: @addptr
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[Q:.*]]: !tt.ptr<f32>)
tt.func @addptr(%p: tensor<8x!tt.ptr<f32>>, %q: !tt.ptr<f32>) -> (tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>) {
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tt.addptr %p, %zeros : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %1 = tt.addptr %q, %zero : !tt.ptr<f32>, i32
  // CHECK: %[[NEXT:.*]] = tt.addptr %[[Q]]
  %2 = tt.addptr %q, %one : !tt.ptr<f32>, i32
  // CHECK: tt.return %[[P]], %[[Q]], %[[NEXT]]
  tt.return %0, %1, %2 : tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: @constants
tt.func @constants() -> (tensor<1xi32>, tensor<8xf32>, tensor<8x1xi32>, tensor<8x4xi32>, i32, tensor<4x8xi32>, tensor<4x8xi32>) {
  // CHECK-DAG: %[[RANGE:.*]] = arith.constant dense<-3> : tensor<1xi32>
  // CHECK-DAG: %[[SPLAT:.*]] = arith.constant dense<1.500000e+00> : tensor<8xf32>
  // CHECK-DAG: %[[COLUMN:.*]] = arith.constant dense<7> : tensor<8x1xi32>
  // CHECK-DAG: %[[BLOCK:.*]] = arith.constant dense<7> : tensor<8x4xi32>
  // CHECK-DAG: %[[SCALAR:.*]] = arith.constant 5 : i32
  // CHECK-DAG: %[[OTHER:.*]] = arith.constant dense<7> : tensor<4x8xi32>
  %0 = tt.make_range {end = -2 : i32, start = -3 : i32} : tensor<1xi32>
  %f = arith.constant 1.5 : f32
  %1 = tt.splat %f : f32 -> tensor<8xf32>
  %sevens = arith.constant dense<7> : tensor<8xi32>
  %2 = tt.expand_dims %sevens {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %3 = tt.broadcast %2 : tensor<8x1xi32> -> tensor<8x4xi32>
  %five = arith.constant dense<5> : tensor<1xi32>
  %4 = tt.unsplat %five : tensor<1xi32>
  %5 = tt.reshape %3 : tensor<8x4xi32> -> tensor<4x8xi32>
  %6 = tt.trans %3 {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
  // CHECK: tt.return %[[RANGE]], %[[SPLAT]], %[[COLUMN]], %[[BLOCK]], %[[SCALAR]], %[[OTHER]], %[[OTHER]]
  tt.return %0, %1, %2, %3, %4, %5, %6 : tensor<1xi32>, tensor<8xf32>, tensor<8x1xi32>, tensor<8x4xi32>, i32, tensor<4x8xi32>, tensor<4x8xi32>
}

// -----

// A splat takes any shape.
// CHECK-LABEL: @splats
// CHECK-SAME: (%[[X:.*]]: f32)
tt.func @splats(%x: f32) -> (tensor<8x1xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<1x8xf32>, f32, tensor<32xf32>) {
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  // CHECK-DAG: %[[A:.*]] = tt.splat %[[X]] : f32 -> tensor<8x1xf32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  // CHECK-DAG: %[[B:.*]] = tt.splat %[[X]] : f32 -> tensor<8x4xf32>
  %2 = tt.broadcast %1 : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK-DAG: %[[C:.*]] = tt.splat %[[X]] : f32 -> tensor<4x8xf32>
  %3 = tt.reshape %2 : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[D:.*]] = tt.splat %[[X]] : f32 -> tensor<1x8xf32>
  %4 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<8x1xf32> -> tensor<1x8xf32>
  %one = tt.splat %x : f32 -> tensor<1xf32>
  %5 = tt.unsplat %one : tensor<1xf32>
  // The layout was chosen on purpose.
  // CHECK-DAG: %[[KEPT:.*]] = tt.reshape %[[B]] allow_reorder efficient_layout
  %6 = tt.reshape %2 allow_reorder efficient_layout : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tt.return %[[A]], %[[B]], %[[C]], %[[D]], %[[X]], %[[KEPT]]
  tt.return %1, %2, %3, %4, %5, %6 : tensor<8x1xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<1x8xf32>, f32, tensor<32xf32>
}

// -----

// CHECK-LABEL: @shapes
// CHECK-SAME: (%[[X:.*]]: tensor<8x1xf32>, %[[Y:.*]]: tensor<8x4xf32>)
tt.func @shapes(%x: tensor<8x1xf32>, %y: tensor<8x4xf32>) -> (tensor<8x1x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>) {
  // CHECK: %[[E:.*]] = tt.expand_dims %[[X]] {axis = 1 : i32} : tensor<8x1xf32> -> tensor<8x1x1xf32>
  // CHECK: %[[A:.*]] = tt.broadcast %[[E]] : tensor<8x1x1xf32> -> tensor<8x1x4xf32>
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<8x4xf32> -> tensor<8x1x4xf32>
  %2 = tt.broadcast %y : tensor<8x4xf32> -> tensor<8x4xf32>
  %3 = tt.reshape %y : tensor<8x4xf32> -> tensor<4x8xf32>
  %4 = tt.reshape %3 : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: %[[C:.*]] = tt.reshape %[[Y]] : tensor<8x4xf32> -> tensor<4x8xf32>
  // One of them may reorder, so both may.
  // CHECK: %[[B:.*]] = tt.reshape %[[Y]] allow_reorder : tensor<8x4xf32> -> tensor<32xf32>
  %5 = tt.reshape %y allow_reorder : tensor<8x4xf32> -> tensor<16x2xf32>
  %6 = tt.reshape %5 : tensor<16x2xf32> -> tensor<32xf32>
  // CHECK: tt.return %[[A]], %[[Y]], %[[Y]], %[[B]], %[[C]]
  tt.return %1, %2, %4, %6, %3 : tensor<8x1x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @trans
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xf32>)
tt.func @trans(%x: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<8x2x4xf32>, tensor<2x4x8xf32>) {
  %0 = tt.trans %x {order = array<i32: 0, 1, 2>} : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %1 = tt.trans %x {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  // CHECK: %[[A:.*]] = tt.trans %[[X]] {order = array<i32: 2, 0, 1>}
  %2 = tt.trans %1 {order = array<i32: 1, 2, 0>} : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  %3 = tt.trans %2 {order = array<i32: 1, 2, 0>} : tensor<8x2x4xf32> -> tensor<2x4x8xf32>
  // CHECK: tt.return %[[X]], %[[A]], %[[X]]
  tt.return %0, %2, %3 : tensor<2x4x8xf32>, tensor<8x2x4xf32>, tensor<2x4x8xf32>
}

// -----

// CHECK-LABEL: @join
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
tt.func @join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %1, %2 = tt.split %0 : tensor<8x2xf32> -> tensor<8xf32>
  // CHECK: tt.return %[[Y]], %[[X]]
  tt.return %2, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two of them may order their elements differently.
// CHECK-LABEL: @cat
// CHECK: tt.cat
// CHECK: tt.cat
tt.func @cat(%x: tensor<8xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = tt.cat %x, %x : tensor<8xf32> -> tensor<16xf32>
  %1 = tt.cat %x, %x : tensor<8xf32> -> tensor<16xf32>
  tt.return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// CHECK-LABEL: @masks
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[X:.*]]: tensor<8xf32>)
tt.func @masks(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %true = arith.constant dense<true> : tensor<8xi1>
  // CHECK: %[[NONE:.*]] = arith.constant dense<false>
  %false = arith.constant dense<false> : tensor<8xi1>
  // CHECK: %[[A:.*]] = tt.load %[[P]] cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  %0 = tt.load %p, %true, %x cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p, %false, %x : tensor<8x!tt.ptr<f32>>
  // Undefined, and left so.
  // CHECK: %[[B:.*]] = tt.load %[[P]], %[[NONE]]
  %2 = tt.load %p, %false : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %[[P]], %[[X]] : tensor<8x!tt.ptr<f32>>
  tt.store %p, %x, %true : tensor<8x!tt.ptr<f32>>
  // CHECK-NOT: tt.store
  tt.store %p, %x, %false : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.return %[[A]], %[[X]], %[[B]]
  tt.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @advance
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<tensor<8x8xf32>>, %[[I:.*]]: i32)
tt.func @advance(%p: !tt.ptr<tensor<8x8xf32>>, %i: i32) -> (!tt.ptr<tensor<8x8xf32>>, !tt.ptr<tensor<8x8xf32>>) {
  %c0 = arith.constant 0 : i32
  %0 = tt.advance %p, [%c0, %c0] : <tensor<8x8xf32>>
  // CHECK: %[[A:.*]] = tt.advance %[[P]]
  %1 = tt.advance %p, [%c0, %i] : <tensor<8x8xf32>>
  // CHECK: tt.return %[[P]], %[[A]]
  tt.return %0, %1 : !tt.ptr<tensor<8x8xf32>>, !tt.ptr<tensor<8x8xf32>>
}

// -----

// What may have effects stays; what is pure and unused goes.
// CHECK-LABEL: @effects
tt.func @effects(%p: !tt.ptr<f32>, %x: tensor<8xf32>) {
  // CHECK-NOT: tt.load %{{.*}} : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}} {isVolatile = true}
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}} cacheModifier = cv
  %again = tt.load %p cacheModifier = cv : !tt.ptr<f32>
  // CHECK: tt.extern_elementwise
  // CHECK-SAME: pure = false
  %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tt.atomic_rmw
  %c = arith.constant 1.0 : f32
  %4 = tt.atomic_rmw fadd, relaxed, gpu, %p, %c : (!tt.ptr<f32>, f32) -> f32
  // CHECK: tt.print
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<8xf32>
  tt.return
}
