// Values that loops carry twice, and those that only look alike.
//
// RUN: tessera-opt %s -tt-loop-aware-cse -split-input-file | FileCheck %s

// CHECK-LABEL: @twins
// CHECK-SAME: (%[[N:.*]]: i32, %[[X:.*]]: i32)
tt.func @twins(%n: i32, %x: i32) -> (i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[C:.*]] = %[[X]]) -> (i32, i32)
  // CHECK-NEXT: %[[A1:.*]] = arith.addi %[[A]]
  // CHECK-NEXT: %[[C1:.*]] = arith.addi %[[C]]
  // CHECK-NEXT: scf.yield %[[A1]], %[[C1]]
  // CHECK: tt.num_stages = 2
  // CHECK: tt.return %[[R]]#0, %[[R]]#0, %[[R]]#1
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0, %c = %x) -> (i32, i32, i32) : i32 {
    %0 = arith.addi %a, %c1 : i32
    %1 = arith.addi %b, %c1 : i32
    %2 = arith.addi %c, %c1 : i32
    scf.yield %0, %1, %2 : i32, i32, i32
  } {tt.num_stages = 2 : i32}
  tt.return %r#0, %r#1, %r#2 : i32, i32, i32
}

// -----

// Each pair depends on the other; what they begin with is written twice.
// CHECK-LABEL: @mutual
tt.func @mutual(%n: i32, %x: i32) -> (i32, i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %x, %x : i32
  // CHECK: %[[R:.*]]:2 = scf.for unsigned {{.*}} -> (i32, i32)
  // CHECK: tt.return %[[R]]#0, %[[R]]#0, %[[R]]#1, %[[R]]#1
  %r:4 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0, %c = %0, %d = %1) -> (i32, i32, i32, i32) : i32 {
    %2 = arith.addi %a, %c : i32
    %3 = arith.addi %b, %d : i32
    %4 = arith.muli %2, %c : i32
    %5 = arith.muli %3, %d : i32
    scf.yield %2, %3, %4, %5 : i32, i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
}

// -----

// Through inner loops and branches.
// CHECK-LABEL: @nested
tt.func @nested(%n: i32, %c: i1) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (i32)
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]]) -> (i32)
  // CHECK: tt.return %[[R]], %[[R]]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%d = %a, %e = %b) -> (i32, i32) : i32 {
      %t:2 = scf.if %c -> (i32, i32) {
        %0 = arith.addi %d, %j : i32
        %1 = arith.addi %e, %j : i32
        scf.yield %0, %1 : i32, i32
      } else {
        scf.yield %d, %e : i32, i32
      }
      scf.yield %t#0, %t#1 : i32, i32
    }
    scf.yield %s#0, %s#1 : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// -----

// One pointer, so one load, so one sum.
// CHECK-LABEL: @loads
// CHECK-SAME: (%[[N:.*]]: i32, %[[P:.*]]: !tt.ptr<i32>)
tt.func @loads(%n: i32, %p: !tt.ptr<i32>) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[R:.*]]:2 = scf.for {{.*}} -> (i32, !tt.ptr<i32>)
  // CHECK-COUNT-1: tt.load
  // CHECK-NOT: tt.load
  // CHECK: tt.return %[[R]]#0, %[[R]]#0
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0, %q = %p, %s = %p) -> (i32, i32, !tt.ptr<i32>, !tt.ptr<i32>) : i32 {
    %0 = tt.load %q : !tt.ptr<i32>
    %1 = tt.load %s : !tt.ptr<i32>
    %2 = arith.addi %a, %0 : i32
    %3 = arith.addi %b, %1 : i32
    %4 = tt.addptr %q, %c1 : !tt.ptr<i32>, i32
    %5 = tt.addptr %s, %c1 : !tt.ptr<i32>, i32
    scf.yield %2, %3, %4, %5 : i32, i32, !tt.ptr<i32>, !tt.ptr<i32>
  }
  tt.return %r#0, %r#1 : i32, i32
}

// -----

// Carried for nothing: they exchange what is the same.
// CHECK-LABEL: @unchanged
// CHECK-SAME: (%[[N:.*]]: i32, %[[X:.*]]: i32, %[[P:.*]]: !tt.ptr<i32>)
tt.func @unchanged(%n: i32, %x: i32, %p: !tt.ptr<i32>) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} {
  // CHECK-NEXT: tt.store %[[P]], %[[X]]
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return %[[X]], %[[X]]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
    tt.store %p, %b : !tt.ptr<i32>
    scf.yield %b, %a : i32, i32
  }
  tt.return %r#0, %r#1 : i32, i32
}

// -----

// They begin or go on differently; that two differ is found out only later, by way of others.
// CHECK-LABEL: @different
tt.func @different(%n: i32, %x: i32) -> (i32, i32, i32, i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // CHECK: scf.for {{.*}} -> (i32, i32, i32, i32, i32, i32)
  %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0, %c = %c0, %d = %c0, %e = %x, %f = %c0) -> (i32, i32, i32, i32, i32, i32) : i32 {
    %0 = arith.addi %a, %c1 : i32
    %1 = arith.addi %b, %c2 : i32
    scf.yield %0, %1, %a, %b, %0, %d : i32, i32, i32, i32, i32, i32
  }
  tt.return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : i32, i32, i32, i32, i32, i32
}

// -----

// A store between the loads; atomics are never one; while loops are left alone.
// CHECK-LABEL: @effects
tt.func @effects(%n: i32, %p: !tt.ptr<i32>) -> (i32, i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} -> (i32, i32)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %0 = tt.load %p : !tt.ptr<i32>
    tt.store %p, %i : !tt.ptr<i32>
    %1 = tt.load %p : !tt.ptr<i32>
    %2 = arith.addi %a, %0 : i32
    %3 = arith.addi %b, %1 : i32
    scf.yield %2, %3 : i32, i32
  }
  // CHECK: scf.for {{.*}} -> (i32, i32)
  // CHECK-COUNT-2: tt.atomic_rmw
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %0 = tt.atomic_rmw add, relaxed, gpu, %p, %a : (!tt.ptr<i32>, i32) -> i32
    %1 = tt.atomic_rmw add, relaxed, gpu, %p, %b : (!tt.ptr<i32>, i32) -> i32
    scf.yield %0, %1 : i32, i32
  }
  // CHECK: scf.while {{.*}} : (i32, i32) -> (i32, i32)
  %w:2 = scf.while (%a = %c0, %b = %c0) : (i32, i32) -> (i32, i32) {
    %0 = arith.cmpi slt, %a, %n : i32
    scf.condition(%0) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    %0 = arith.addi %a, %c1 : i32
    %1 = arith.addi %b, %c1 : i32
    scf.yield %0, %1 : i32, i32
  }
  tt.return %r#0, %r#1, %s#0, %w#1 : i32, i32, i32, i32
}

// -----

// And what CSE does.
// CHECK-LABEL: @no_loop
tt.func @no_loop(%x: i32) -> (i32, i32) {
  // CHECK-NEXT: %[[A:.*]] = arith.addi
  // CHECK-NEXT: tt.return %[[A]], %[[A]]
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  tt.return %0, %1 : i32, i32
}
