// Elementwise ops before what repeats their operands, and those that stay.
//
// RUN: tessera-opt %s -tt-reorder-broadcast -split-input-file | FileCheck %s

// CHECK-LABEL: @splats
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i32, %[[C:.*]]: i1)
tt.func @splats(%x: f32, %y: f32, %p: !tt.ptr<f32>, %i: i32, %c: i1) -> (tensor<8xf32>, tensor<8x!tt.ptr<f32>>, tensor<8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.splat %y : f32 -> tensor<8xf32>
  // CHECK-NEXT: %[[MUL:.*]] = arith.mulf %[[X]], %[[Y]] fastmath<fast> : f32
  // CHECK-NEXT: %[[R0:.*]] = tt.splat %[[MUL]] : f32 -> tensor<8xf32>
  %2 = arith.mulf %0, %1 fastmath<fast> : tensor<8xf32>
  // CHECK-NEXT: %[[PTR:.*]] = tt.addptr %[[P]], %[[I]] : !tt.ptr<f32>, i32
  // CHECK-NEXT: %[[R1:.*]] = tt.splat %[[PTR]]
  %3 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %4 = tt.splat %i : i32 -> tensor<8xi32>
  %5 = tt.addptr %3, %4 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK-NEXT: %[[HALF:.*]] = tt.fp_to_fp %[[X]], rounding = rtz : f32 -> f16
  // CHECK-NEXT: %[[R2:.*]] = tt.splat %[[HALF]] : f16 -> tensor<8xf16>
  %6 = tt.fp_to_fp %0, rounding = rtz : tensor<8xf32> -> tensor<8xf16>
  // A constant with one value is a splat, too; what has moved moves on.
  // CHECK-NEXT: %[[LESS:.*]] = arith.cmpf olt, %[[MUL]], %[[TWO]] : f32
  // CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[LESS]], %[[X]], %[[Y]] : f32
  // CHECK-NEXT: %[[R3:.*]] = tt.splat %[[SELECT]]
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %7 = arith.cmpf olt, %2, %two : tensor<8xf32>
  %8 = arith.select %7, %0, %1 : tensor<8xi1>, tensor<8xf32>
  // The scalar condition stays as it is.
  // CHECK-NEXT: %[[CHOICE:.*]] = arith.select %[[C]], %[[X]], %[[Y]] : f32
  // CHECK-NEXT: %[[R4:.*]] = tt.splat %[[CHOICE]]
  %9 = arith.select %c, %0, %1 : tensor<8xf32>
  // CHECK-NEXT: %[[TANH:.*]] = tt.extern_elementwise %[[X]] {{.*}} : (f32) -> f32
  // CHECK-NEXT: %[[R5:.*]] = tt.splat %[[TANH]]
  %10 = tt.extern_elementwise %0 {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: tt.return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R5]]
  tt.return %2, %5, %6, %8, %9, %10 : tensor<8xf32>, tensor<8x!tt.ptr<f32>>, tensor<8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @broadcasts
// CHECK-SAME: (%[[X:.*]]: tensor<8x1xf32>, %[[Z:.*]]: tensor<8x1xf32>, %[[S:.*]]: f32, %[[C:.*]]: i1)
tt.func @broadcasts(%x: tensor<8x1xf32>, %z: tensor<8x1xf32>, %s: f32, %c: i1) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) {
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<8x1xf32>
  // CHECK-NEXT: %[[SPLAT:.*]] = tt.splat %[[S]] : f32 -> tensor<8x1xf32>
  // CHECK-NEXT: %[[FMA:.*]] = math.fma %[[X]], %[[TWO]], %[[SPLAT]] : tensor<8x1xf32>
  // CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[FMA]], %[[Z]] : tensor<8x1xf32>
  // CHECK-NEXT: %[[R0:.*]] = tt.broadcast %[[ADD]] : tensor<8x1xf32> -> tensor<8x16xf32>
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x16xf32>
  %1 = tt.broadcast %z : tensor<8x1xf32> -> tensor<8x16xf32>
  %2 = tt.splat %s : f32 -> tensor<8x16xf32>
  %two = arith.constant dense<2.0> : tensor<8x16xf32>
  %3 = math.fma %0, %two, %2 : tensor<8x16xf32>
  %4 = arith.addf %3, %1 : tensor<8x16xf32>
  // CHECK-NEXT: %[[CHOICE:.*]] = arith.select %[[C]], %[[X]], %[[Z]] : tensor<8x1xf32>
  // CHECK-NEXT: %[[R1:.*]] = tt.broadcast %[[CHOICE]]
  %5 = arith.select %c, %0, %1 : tensor<8x16xf32>
  // CHECK-NEXT: %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[X]] : tensor<8x1xf32>
  // CHECK-NEXT: %[[R2:.*]] = tt.broadcast %[[LESS]] : tensor<8x1xi1> -> tensor<8x16xi1>
  %6 = arith.cmpf olt, %0, %0 : tensor<8x16xf32>
  // CHECK-NEXT: tt.return %[[R0]], %[[R1]], %[[R2]]
  tt.return %4, %5, %6 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>
}

// -----

// In a loop: the constant does not come again in each iteration.
// CHECK-LABEL: @loop
// CHECK-SAME: (%[[N:.*]]: i32)
tt.func @loop(%n: i32) -> tensor<8xi32> {
  // CHECK-NEXT: %[[THREE:.*]] = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %start = arith.constant dense<0> : tensor<8xi32>
  // CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[SUM:.*]] =
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (tensor<8xi32>) : i32 {
    // CHECK-NEXT: %[[MUL:.*]] = arith.muli %[[I]], %[[THREE]] : i32
    // CHECK-NEXT: %[[SPLAT:.*]] = tt.splat %[[MUL]]
    // CHECK-NEXT: arith.addi %[[SUM]], %[[SPLAT]] : tensor<8xi32>
    %three = arith.constant dense<3> : tensor<8xi32>
    %1 = tt.splat %i : i32 -> tensor<8xi32>
    %2 = arith.muli %1, %three : tensor<8xi32>
    %3 = arith.addi %sum, %2 : tensor<8xi32>
    scf.yield %3 : tensor<8xi32>
  }
  tt.return %0 : tensor<8xi32>
}

// -----

// What a program promises of the tensor is not about the scalar.
// CHECK-LABEL: @hints
tt.func @hints(%x: i32, %v: tensor<8x1xi32>) -> (tensor<8xi32>, tensor<8x16xi32>) {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  // CHECK-NEXT: tt.splat %{{.*}} {tt.constancy = dense<8> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>}
  %0 = tt.splat %x : i32 -> tensor<8xi32>
  %1 = arith.addi %0, %0 {tt.divisibility = dense<16> : tensor<1xi32>, tt.constancy = dense<8> : tensor<1xi32>} : tensor<8xi32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} {tt.other} : tensor<8x1xi32>
  // CHECK-NEXT: tt.broadcast %{{.*}} {tt.contiguity = dense<[4, 1]> : tensor<2xi32>}
  %2 = tt.broadcast %v : tensor<8x1xi32> -> tensor<8x16xi32>
  %3 = arith.addi %2, %2 {tt.other, tt.contiguity = dense<[4, 1]> : tensor<2xi32>} : tensor<8x16xi32>
  tt.return %1, %3 : tensor<8xi32>, tensor<8x16xi32>
}

// -----

// CHECK-LABEL: @not
// CHECK-SAME: (%[[X:.*]]: tensor<8x1xf32>, %[[Y:.*]]: tensor<1x16xf32>, %[[FULL:.*]]: tensor<8x16xf32>, %[[S:.*]]: f32)
tt.func @not(%x: tensor<8x1xf32>, %y: tensor<1x16xf32>, %full: tensor<8x16xf32>, %s: f32) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK-DAG: %[[XB:.*]] = tt.broadcast %[[X]]
  // CHECK-DAG: %[[YB:.*]] = tt.broadcast %[[Y]]
  // CHECK-DAG: %[[SS:.*]] = tt.splat %[[S]] : f32 -> tensor<8x16xf32>
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x16xf32>
  %1 = tt.broadcast %y : tensor<1x16xf32> -> tensor<8x16xf32>
  %2 = tt.splat %s : f32 -> tensor<8x16xf32>
  // Repeated along different dimensions.
  // CHECK: arith.addf %[[XB]], %[[YB]] : tensor<8x16xf32>
  %3 = arith.addf %0, %1 : tensor<8x16xf32>
  // One operand has different elements.
  // CHECK: arith.addf %[[SS]], %[[FULL]] : tensor<8x16xf32>
  %4 = arith.addf %2, %full : tensor<8x16xf32>
  // It may do something besides.
  // CHECK: tt.extern_elementwise %[[SS]]
  %5 = tt.extern_elementwise %2 {libname = "", libpath = "", pure = false, symbol = "f"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // Two elements at once.
  // CHECK: tt.elementwise_inline_asm {{.*}} %[[SS]]
  %6 = tt.elementwise_inline_asm "add.f16x2 $0, $1, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %2 : tensor<8x16xf32> -> tensor<8x16xf32>
  // A region.
  // CHECK: "tt.map_elementwise"(%[[SS]])
  %7 = "tt.map_elementwise"(%2) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  // Not elementwise.
  // CHECK: tt.trans %[[SS]]
  %8 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<16x8xf32>
  %9 = tt.reshape %8 : tensor<16x8xf32> -> tensor<8x16xf32>
  tt.return %3, %4, %5, %6, %7, %9 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// Constants that differ from element to element.
// CHECK-LABEL: @different_constants
tt.func @different_constants(%x: i32) -> tensor<4xi32> {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<4xi32>
  %0 = tt.splat %x : i32 -> tensor<4xi32>
  %1 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %2 = arith.addi %0, %1 : tensor<4xi32>
  tt.return %2 : tensor<4xi32>
}
