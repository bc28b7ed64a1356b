// What needs more than one look; constants and their locations.
//
// RUN: tessera-opt %s -tt-canonicalizer -split-input-file | FileCheck %s
// RUN: tessera-opt %s -tt-canonicalizer -split-input-file --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: @constants
tt.func @constants(%p: !tt.ptr<f32>, %q: tensor<8x!tt.ptr<f32>>, %n: i32) -> tensor<8xf32> {
  // At the head, each once, also what folding makes; none inside the loop.
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %{{.*}} = scf.for %{{.*}} = %[[C0]] to %{{.*}} step %[[C1]] iter_args(%{{.*}} = %[[ZERO]])
  // LOC: arith.constant dense<0.0{{.*}} loc(#[[OUTER:.*]])
  // LOC: arith.constant dense<2.0{{.*}} loc(#[[INNER:.*]])
  // LOC-DAG: #[[INNER]] = loc("kernel.py":5:2)
  // LOC-DAG: #[[OUTER]] = loc("kernel.py":1:1)
  // LOC-NOT: unknown
  %zero = arith.constant 0.0 : f32 loc("kernel.py":1:1)
  %start = tt.splat %zero : f32 -> tensor<8xf32> loc("kernel.py":1:1)
  %0 = arith.constant 0 : i32 loc("kernel.py":2:1)
  %1 = arith.constant 1 : i32 loc("kernel.py":2:2)
  %2 = scf.for %i = %0 to %n step %1 iter_args(%sum = %start) -> (tensor<8xf32>) : i32 {
    %one = arith.constant dense<1.0> : tensor<8xf32> loc("kernel.py":5:1)
    %two = arith.addf %one, %one : tensor<8xf32> loc("kernel.py":5:2)
    // CHECK: arith.addf %{{.*}}, %[[TWO]]
    %3 = arith.addf %sum, %two : tensor<8xf32>
    %again = arith.constant dense<0.0> : tensor<8xf32> loc("kernel.py":6:2)
    // CHECK: arith.mulf %{{.*}}, %[[ZERO]]
    %4 = arith.mulf %3, %again : tensor<8xf32>
    scf.yield %4 : tensor<8xf32>
  }
  tt.return %2 : tensor<8xf32>
}

// -----

// A promise about one constant is not about the others.
// CHECK-LABEL: @hinted
tt.func @hinted() -> (i32, i32, i32) {
  // CHECK-NEXT: %[[H:.*]] = arith.constant {tt.divisibility = 16 : i32} 16 : i32
  // CHECK-NEXT: %[[C:.*]] = arith.constant 16 : i32
  // CHECK-NEXT: tt.return %[[H]], %[[C]], %[[C]]
  %0 = arith.constant {tt.divisibility = 16 : i32} 16 : i32
  %1 = arith.constant 16 : i32
  %2 = arith.constant 16 : i32
  tt.return %0, %1, %2 : i32, i32, i32
}

// -----

// The branch is empty only once its body has been simplified, and only then does the
// loop carry a value that never changes.
// CHECK-LABEL: @inside_out
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<i32>, %[[N:.*]]: i32, %[[C:.*]]: i1)
tt.func @inside_out(%p: !tt.ptr<i32>, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} : i32 {
  // CHECK-NEXT: tt.store %[[P]], %[[I]]
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.return
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %1 = scf.if %c -> (i32) {
      tt.store %p, %a, %false : !tt.ptr<i32>
      %2 = arith.addi %a, %c0 : i32
      scf.yield %2 : i32
    } else {
      %3 = arith.muli %a, %c1 : i32
      scf.yield %3 : i32
    }
    tt.store %p, %i : !tt.ptr<i32>
    scf.yield %1 : i32
  }
  tt.return
}

// -----

// Blocks that a constant decides about.
// CHECK-LABEL: @blocks
// CHECK-SAME: (%[[X:.*]]: f32)
tt.func @blocks(%x: f32) -> f32 {
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
  // CHECK-NEXT: tt.return %[[E]]
  // CHECK-NEXT: }
  %true = arith.constant true
  cf.cond_br %true, ^then, ^else
^then:
  %0 = math.exp %x : f32
  tt.return %0 : f32
^else:
  tt.return %x : f32
}

// -----

// CHECK-LABEL: tt.func private @declared(f32)
tt.func private @declared(f32)
// Nothing to do.
// CHECK-LABEL: @plain
// CHECK-NEXT: tt.load
// CHECK-NEXT: tt.return
tt.func @plain(%p: !tt.ptr<f32>) -> f32 {
  %0 = tt.load %p : !tt.ptr<f32>
  tt.return %0 : f32
}
