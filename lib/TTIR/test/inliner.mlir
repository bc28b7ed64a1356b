// Calls become what they call; those that stay; where inlined ops come from.
//
// RUN: tessera-opt %s -tt-inliner -split-input-file | FileCheck %s
// RUN: tessera-opt %s -tt-inliner -split-input-file --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Two levels, and a function that is called twice.
// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME: (%[[X:.*]]: f32)
tt.func public @kernel(%x: f32) -> f32 {
  // CHECK-NEXT: %[[A:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[X]]
  // CHECK-NEXT: %[[C:.*]] = arith.mulf %[[B]], %[[B]]
  // CHECK-NEXT: tt.return %[[C]]
  // LOC: arith.mulf {{.*}} loc(#[[INNER:.*]])
  // LOC: arith.addf {{.*}} loc(#[[OUTER:.*]])
  %0 = tt.call @fma(%x) : (f32) -> f32 loc("kernel.py":3:4)
  %1 = tt.call @square(%0) : (f32) -> f32 loc("kernel.py":4:4)
  tt.return %1 : f32
}
// CHECK-NOT: tt.func
tt.func private @fma(%x: f32) -> f32 {
  %0 = tt.call @square(%x) : (f32) -> f32 loc("kernel.py":10:4)
  %1 = arith.addf %0, %x : f32 loc("kernel.py":11:4)
  tt.return %1 : f32
}
tt.func private @square(%x: f32) -> f32 {
  %0 = arith.mulf %x, %x : f32 loc("kernel.py":20:4)
  tt.return %0 : f32
}
// LOC-DAG: #[[CALL:.*]] = loc("kernel.py":3:4)
// LOC-DAG: #[[CALLED:.*]] = loc("kernel.py":10:4)
// LOC-DAG: #[[SQUARE:.*]] = loc("kernel.py":20:4)
// LOC-DAG: #[[ADD:.*]] = loc("kernel.py":11:4)
// LOC-DAG: #[[OUTER]] = loc(callsite(#[[ADD]] at #[[CALL]]))
// LOC-DAG: #[[CHAIN:.*]] = loc(callsite(#[[CALLED]] at #[[CALL]]))
// LOC-DAG: #[[INNER]] = loc(callsite(#[[SQUARE]] at #[[CHAIN]]))

// -----

// CHECK-LABEL: tt.func public @stays
tt.func public @stays(%x: f32, %n: i32) -> f32 {
  // noinline, and what it calls is inlined into it.
  // CHECK: tt.call @device(
  %0 = tt.call @device(%x) : (f32) -> f32
  // Without a body.
  // CHECK: tt.call @elsewhere(
  %1 = tt.call @elsewhere(%0) : (f32) -> f32
  // Another kernel is inlined, and stays to be launched.
  // CHECK-NOT: @other
  // CHECK: math.exp
  %2 = tt.call @other(%1) : (f32) -> f32
  tt.return %2 : f32
}
// CHECK: tt.func private @device
// CHECK-NEXT: arith.negf
// CHECK-NEXT: tt.return
tt.func private @device(%x: f32) -> f32 attributes {noinline = true} {
  %0 = tt.call @negate(%x) : (f32) -> f32
  tt.return %0 : f32
}
// CHECK-NOT: @negate
tt.func private @negate(%x: f32) -> f32 attributes {noinline = false} {
  %0 = arith.negf %x : f32
  tt.return %0 : f32
}
// CHECK: tt.func private @elsewhere(f32) -> f32
tt.func private @elsewhere(f32) -> f32
// CHECK: tt.func public @other
tt.func public @other(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  tt.return %0 : f32
}

// -----

// Functions that call each other are inlined no further than once around.
// CHECK-LABEL: tt.func public @recursive
tt.func public @recursive(%n: i32) -> i32 {
  // CHECK: tt.call @even(
  %0 = tt.call @even(%n) : (i32) -> i32
  tt.return %0 : i32
}
// CHECK: tt.func private @even
tt.func private @even(%n: i32) -> i32 {
  %0 = tt.call @odd(%n) : (i32) -> i32
  tt.return %0 : i32
}
tt.func private @odd(%n: i32) -> i32 {
  %0 = tt.call @even(%n) : (i32) -> i32
  tt.return %0 : i32
}

// -----

// A return in the middle of the function: blocks, where there is room for them.
// CHECK-LABEL: tt.func public @early_return
tt.func public @early_return(%x: f32, %c: i1, %n: i32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: cf.cond_br %{{.*}}, ^[[THEN:.*]], ^[[ELSE:.*]]
  // CHECK: ^[[THEN]]:
  // CHECK-NEXT: cf.br ^[[AFTER:.*]](%{{.*}} : f32)
  // CHECK: ^[[ELSE]]:
  // CHECK-NEXT: %[[E:.*]] = math.exp
  // CHECK-NEXT: cf.br ^[[AFTER]](%[[E]] : f32)
  // CHECK: ^[[AFTER]](%{{.*}}: f32):
  %0 = tt.call @two_returns(%x, %c) : (f32, i1) -> f32
  // A loop has room for one.
  // CHECK: scf.for
  // CHECK-NEXT: tt.call @two_returns
  // CHECK-NEXT: math.log
  // CHECK-NEXT: scf.yield
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (f32) : i32 {
    %2 = tt.call @two_returns(%y, %c) : (f32, i1) -> f32
    %3 = tt.call @one_return(%2) : (f32) -> f32
    scf.yield %3 : f32
  }
  tt.return %0, %1 : f32, f32
}
// CHECK: tt.func private @two_returns
tt.func private @two_returns(%x: f32, %c: i1) -> f32 {
  cf.cond_br %c, ^then, ^else
^then:
  tt.return %x : f32
^else:
  %0 = math.exp %x : f32
  tt.return %0 : f32
}
// What follows its return is not reached; what is left is one block.
// CHECK-NOT: @one_return
tt.func private @one_return(%x: f32) -> f32 {
  cf.br ^next(%x : f32)
^next(%y: f32):
  %0 = math.log %y : f32
  tt.return %0 : f32
^dead:
  %1 = ub.poison : f32
  tt.return %1 : f32
}

// -----

// Ops of any dialect come along; functions that return nothing, or more.
// CHECK-LABEL: tt.func public @others
// CHECK-SAME: (%[[C:.*]]: i1)
tt.func public @others(%c: i1) -> (i1, i1) {
  // CHECK-NEXT: llvm.intr.assume %[[C]]
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: tt.return %[[C]], %[[C]]
  tt.call @assume(%c) : (i1) -> ()
  %0:2 = tt.call @twice(%c) : (i1) -> (i1, i1)
  tt.return %0#0, %0#1 : i1, i1
}
tt.func private @assume(%c: i1) {
  llvm.intr.assume %c : i1
  gpu.barrier
  tt.return
}
tt.func private @twice(%c: i1) -> (i1, i1) {
  tt.return %c, %c : i1, i1
}
