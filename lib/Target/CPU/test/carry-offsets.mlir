// RUN: tessera-opt --cpu-carry-offsets %s | FileCheck %s

// CHECK-LABEL: tt.func public @pointers
// CHECK: %[[SUM:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[OFF:.*]] = {{.*}}) -> (tensor<16xf32>, i64)
// CHECK: %[[SPREAD:.*]] = tt.splat %[[OFF]] : i64 -> tensor<16xi64>
// CHECK: %[[P:.*]] = tt.addptr %{{.*}}, %[[SPREAD]]
// CHECK: tt.load %[[P]]
// CHECK: %[[STEP:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[OFF]], %[[STEP]] : i64
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// CHECK: tt.splat %[[SUM]]#1
tt.func public @pointers(%xp: !tt.ptr<f32>, %n: i32, %stride: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16xf32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %first = tt.addptr %xs, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %p = %first)
      -> (tensor<16xf32>, tensor<16x!tt.ptr<f32>>) : i32 {
    %x = tt.load %p : tensor<16x!tt.ptr<f32>>
    %next = arith.addf %acc, %x : tensor<16xf32>
    %down = tt.splat %stride : i32 -> tensor<16xi32>
    %q = tt.addptr %p, %down : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    scf.yield %next, %q : tensor<16xf32>, tensor<16x!tt.ptr<f32>>
  }
  tt.store %sum#1, %sum#0 : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Elements that move by different distances stay.

// CHECK-LABEL: tt.func public @spreading
// CHECK: scf.for {{.*}} -> (tensor<16xi32>)
tt.func public @spreading(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %v = scf.for %i = %zero to %n step %one iter_args(%a = %r) -> (tensor<16xi32>) : i32 {
    %b = arith.addi %a, %r : tensor<16xi32>
    scf.yield %b : tensor<16xi32>
  }
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %q = tt.addptr %s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %q, %v : tensor<16x!tt.ptr<i32>>
  tt.return
}
