// What leaves loops, and what must stay.
//
// RUN: tessera-opt %s -tt-loop-invariant-code-motion -split-input-file | FileCheck %s

// CHECK-LABEL: @loads
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[S:.*]]: !tt.ptr<f32>, %[[LB:.*]]: i32, %[[UB:.*]]: i32)
tt.func @loads(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %s: !tt.ptr<f32>, %lb: i32, %ub: i32) -> tensor<8xf32> {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB]], %[[UB]] : i32
  // CHECK-NEXT: %[[MASK:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<8xi1>
  // CHECK-NEXT: %[[L0:.*]] = tt.load %[[P]], %[[MASK]] cacheModifier = ca :
  // CHECK-NEXT: %[[AGAIN:.*]] = tt.splat %[[RUNS]]
  // CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[AGAIN]], %[[M]]
  // CHECK-NEXT: %[[L1:.*]] = tt.load %[[P]], %[[BOTH]], %{{.*}} :
  // CHECK-NEXT: %[[L2:.*]] = tt.load %[[S]], %[[RUNS]] :
  // CHECK-NEXT: %[[F:.*]] = tt.splat %[[L2]]
  // CHECK-NEXT: %[[S0:.*]] = arith.addf %[[L0]], %[[L1]]
  // CHECK-NEXT: %[[S1:.*]] = arith.addf %[[S0]], %[[F]]
  // CHECK-NEXT: scf.for {{.*}} iter_args(%[[SUM:.*]] =
  // CHECK-NEXT: arith.addf %[[SUM]], %[[S1]]
  // CHECK-NEXT: scf.yield
  %0 = scf.for %i = %lb to %ub step %c1 iter_args(%sum = %zero) -> (tensor<8xf32>) : i32 {
    %1 = tt.load %p cacheModifier = ca : tensor<8x!tt.ptr<f32>>
    %2 = tt.load %p, %m, %zero : tensor<8x!tt.ptr<f32>>
    %3 = tt.load %s : !tt.ptr<f32>
    %4 = tt.splat %3 : f32 -> tensor<8xf32>
    %5 = arith.addf %1, %2 : tensor<8xf32>
    %6 = arith.addf %5, %4 : tensor<8xf32>
    %7 = arith.addf %sum, %6 : tensor<8xf32>
    scf.yield %7 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

// -----

// A loop that is known to run needs no guard, and takes block pointers along.
// CHECK-LABEL: @known_to_run
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[B:.*]]: !tt.ptr<tensor<8xf32>>)
tt.func @known_to_run(%p: tensor<8x!tt.ptr<f32>>, %b: !tt.ptr<tensor<8xf32>>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // CHECK-NOT: arith.cmpi
  // CHECK: tt.load %[[P]] : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %[[B]] {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: scf.for
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %zero) -> (tensor<8xf32>) : i32 {
    %1 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %2 = tt.load %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
    %3 = arith.addf %1, %2 : tensor<8xf32>
    %4 = arith.addf %sum, %3 : tensor<8xf32>
    scf.yield %4 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

// -----

// Out of both loops, if both run. Bounds are compared as the loops compare them.
// CHECK-LABEL: @nested
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[N:.*]]: i32, %[[K:.*]]: i32)
tt.func @nested(%p: tensor<8x!tt.ptr<f32>>, %n: i32, %k: i32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // CHECK: %[[INNER:.*]] = arith.cmpi ult, %{{.*}}, %[[K]]
  // CHECK-NEXT: %[[M0:.*]] = tt.splat %[[INNER]]
  // CHECK-NEXT: %[[OUTER:.*]] = arith.cmpi slt, %{{.*}}, %[[N]]
  // CHECK-NEXT: %[[M1:.*]] = tt.splat %[[OUTER]]
  // CHECK-NEXT: %[[M:.*]] = arith.andi %[[M1]], %[[M0]]
  // CHECK-NEXT: tt.load %[[P]], %[[M]]
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: scf.for unsigned
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<8xf32>) : i32 {
    %1 = scf.for unsigned %j = %c0 to %k step %c1 iter_args(%b = %a) -> (tensor<8xf32>) : i32 {
      %2 = tt.load %p : tensor<8x!tt.ptr<f32>>
      %3 = arith.addf %b, %2 : tensor<8xf32>
      scf.yield %3 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

// -----

// Somebody writes: the load stays, what needs no memory goes.
// CHECK-LABEL: @writes
tt.func @writes(%p: tensor<8x!tt.ptr<f32>>, %q: tensor<8x!tt.ptr<f32>>, %n: i32, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: tt.splat
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %1 = tt.splat %x : f32 -> tensor<8xf32>
    %2 = arith.addf %0, %1 : tensor<8xf32>
    tt.store %q, %2 : tensor<8x!tt.ptr<f32>>
  }
  // Nor past an atomic, a barrier, a call, an assertion, another volatile load.
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (f32) : i32 {
    %4 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %5 = tt.atomic_rmw fadd, relaxed, gpu, %p, %4 : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %sum : f32
  }
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %6 = tt.load %p : tensor<8x!tt.ptr<f32>>
    gpu.barrier
  }
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %7 = tt.load %p : tensor<8x!tt.ptr<f32>>
    tt.call @unknown() : () -> ()
  }
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %8 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %9 = arith.cmpi slt, %i, %n : i32
    tt.assert %9, "in bounds" : i1
  }
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %10 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %11 = tt.load %p {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  }
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %12 = tt.load %p cacheModifier = cv : tensor<8x!tt.ptr<f32>>
  }
  tt.return
}
tt.func private @unknown() attributes {noinline = true}

// -----

// Not every iteration, or not the first thing that a loop does: a mask cannot say when.
// CHECK-LABEL: @not_reached
tt.func @not_reached(%p: !tt.ptr<i32>, %b: !tt.ptr<tensor<8xi32>>, %n: i32, %c: i1) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: tt.load
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %1 = scf.if %c -> (i32) {
      %2 = tt.load %p : !tt.ptr<i32>
      scf.yield %2 : i32
    } else {
      scf.yield %sum : i32
    }
    scf.yield %1 : i32
  }
  // CHECK: scf.while
  // CHECK-NEXT: tt.load
  // CHECK: do
  // CHECK: tt.load
  %3 = scf.while (%i = %c0) : (i32) -> i32 {
    %4 = tt.load %p : !tt.ptr<i32>
    %5 = arith.cmpi slt, %i, %4 : i32
    scf.condition(%5) %i : i32
  } do {
  ^bb0(%i: i32):
    %6 = tt.load %p : !tt.ptr<i32>
    %7 = arith.addi %i, %6 : i32
    scf.yield %7 : i32
  }
  // A block pointer takes no mask; a division may trap.
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: arith.divsi
  scf.for %i = %c0 to %n step %c1 : i32 {
    %8 = tt.load %b : !tt.ptr<tensor<8xi32>>
    %9 = arith.divsi %c1, %n : i32
  }
  tt.return %0, %3 : i32, i32
}

// -----

// tl.range(..., disable_licm=True)
// CHECK-LABEL: @disabled
tt.func @disabled(%p: tensor<8x!tt.ptr<f32>>, %n: i32, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.splat
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<8xf32>) : i32 {
    %1 = tt.load %p : tensor<8x!tt.ptr<f32>>
    %2 = tt.splat %x : f32 -> tensor<8xf32>
    %3 = arith.addf %1, %2 : tensor<8xf32>
    %4 = arith.addf %sum, %3 : tensor<8xf32>
    scf.yield %4 : tensor<8xf32>
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true, versioningDisable = true>>}
  tt.return %0 : tensor<8xf32>
}
