// RUN: tessera-opt %s -tt-flatten-branches -split-input-file | FileCheck %s
// RUN: tessera-opt %s -tt-flatten-branches -split-input-file --remark-format=emitRemark --remarks-filter=tt-flatten-branches 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: the branch becomes a select

// The number is chosen, and added in any case: w + -0.0 is w.

// CHECK-LABEL: @adjusted
// CHECK-SAME: (%[[W:.*]]: tensor<256xf32>, %[[C:.*]]: i1)
tt.func @adjusted(%w: tensor<256xf32>, %c: i1) -> tensor<256xf32> {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: %[[S:.*]] = arith.select %[[C]], %[[ONE]], %[[ZERO]] : f32
  // CHECK-NEXT: %[[T:.*]] = tt.splat %[[S]] : f32 -> tensor<256xf32>
  // CHECK-NEXT: %[[R:.*]] = arith.addf %[[W]], %[[T]]
  // CHECK-NEXT: tt.return %[[R]]
  %ones = arith.constant dense<1.0> : tensor<256xf32>
  %r = scf.if %c -> (tensor<256xf32>) {
    %s = arith.addf %w, %ones : tensor<256xf32>
    scf.yield %s : tensor<256xf32>
  } else {
    scf.yield %w : tensor<256xf32>
  }
  tt.return %r : tensor<256xf32>
}

// -----

// The other side; a factor that comes first; a number that is a scalar of the program.

// CHECK-LABEL: @scaled_otherwise
// CHECK-SAME: (%[[W:.*]]: tensor<256xf16>, %[[X:.*]]: f16, %[[C:.*]]: i1)
tt.func @scaled_otherwise(%w: tensor<256xf16>, %x: f16, %c: i1) -> tensor<256xf16> {
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f16
  // CHECK-NEXT: %[[S:.*]] = arith.select %[[C]], %[[ONE]], %[[X]] : f16
  // CHECK-NEXT: %[[T:.*]] = tt.splat %[[S]]
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[T]], %[[W]]
  // CHECK-NEXT: tt.return %[[R]]
  %r = scf.if %c -> (tensor<256xf16>) {
    scf.yield %w : tensor<256xf16>
  } else {
    %y = tt.splat %x : f16 -> tensor<256xf16>
    %s = arith.mulf %y, %w : tensor<256xf16>
    scf.yield %s : tensor<256xf16>
  }
  tt.return %r : tensor<256xf16>
}

// -----

// x - y is not y for any x, and the numbers of a range differ: tensors are chosen.

// CHECK-LABEL: @tensors
// CHECK: %[[D:.*]] = arith.subf
// CHECK: %[[I:.*]] = arith.addi
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[D]], %{{.*}} : tensor<256xf32>
// CHECK: %[[T:.*]] = arith.select %{{.*}}, %[[I]], %{{.*}} : tensor<256xi32>
// CHECK: tt.return %[[S]], %[[T]]
tt.func @tensors(%w: tensor<256xf32>, %i: tensor<256xi32>, %j: tensor<256xi32>, %c: i1) -> (tensor<256xf32>, tensor<256xi32>) {
  %ones = arith.constant dense<1.0> : tensor<256xf32>
  %r:2 = scf.if %c -> (tensor<256xf32>, tensor<256xi32>) {
    %s = arith.subf %ones, %w : tensor<256xf32>
    %k = arith.addi %i, %j : tensor<256xi32>
    scf.yield %s, %k : tensor<256xf32>, tensor<256xi32>
  } else {
    scf.yield %w, %i : tensor<256xf32>, tensor<256xi32>
  }
  tt.return %r#0, %r#1 : tensor<256xf32>, tensor<256xi32>
}

// -----

// The sum is two results; it must not change for the second.

// CHECK-LABEL: @twice
// CHECK: %[[A:.*]] = arith.addf
// CHECK: arith.select %{{.*}}, %[[A]], %{{.*}} : tensor<256xf32>
// CHECK: arith.select %{{.*}}, %[[A]], %{{.*}} : tensor<256xf32>
tt.func @twice(%w: tensor<256xf32>, %v: tensor<256xf32>, %c: i1) -> (tensor<256xf32>, tensor<256xf32>) {
  %ones = arith.constant dense<1.0> : tensor<256xf32>
  %r:2 = scf.if %c -> (tensor<256xf32>, tensor<256xf32>) {
    %s = arith.addf %w, %ones : tensor<256xf32>
    scf.yield %s, %s : tensor<256xf32>, tensor<256xf32>
  } else {
    scf.yield %w, %v : tensor<256xf32>, tensor<256xf32>
  }
  tt.return %r#0, %r#1 : tensor<256xf32>, tensor<256xf32>
}

// -----

// Kept: two ops an element, expensive ones, effects, scalars, and branches in loops.

// CHECK-LABEL: @declined
// CHECK-COUNT-4: scf.if
// CHECK: scf.for
// CHECK-NEXT: scf.if
tt.func @declined(%w: tensor<256xf32>, %p: tensor<256x!tt.ptr<f32>>, %x: f32, %n: i32, %c: i1) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, f32, tensor<256xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1.0> : tensor<256xf32>
  %two = scf.if %c -> (tensor<256xf32>) {
    %s = arith.mulf %w, %w : tensor<256xf32>
    %t = arith.addf %s, %w : tensor<256xf32>
    scf.yield %t : tensor<256xf32>
  } else {
    scf.yield %w : tensor<256xf32>
  }
  %slow = scf.if %c -> (tensor<256xf32>) {
    %s = arith.divf %ones, %w : tensor<256xf32>
    scf.yield %s : tensor<256xf32>
  } else {
    scf.yield %w : tensor<256xf32>
  }
  %loaded = scf.if %c -> (tensor<256xf32>) {
    %s = tt.load %p : tensor<256x!tt.ptr<f32>>
    scf.yield %s : tensor<256xf32>
  } else {
    scf.yield %w : tensor<256xf32>
  }
  %scalar = scf.if %c -> (f32) {
    %s = arith.addf %x, %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  %loop = scf.for %i = %zero to %n step %one iter_args(%v = %w) -> (tensor<256xf32>) : i32 {
    %b = scf.if %c -> (tensor<256xf32>) {
      %s = arith.addf %v, %ones : tensor<256xf32>
      scf.yield %s : tensor<256xf32>
    } else {
      scf.yield %v : tensor<256xf32>
    }
    scf.yield %b : tensor<256xf32>
  }
  tt.return %two, %slow, %loaded, %scalar, %loop : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, f32, tensor<256xf32>
}
