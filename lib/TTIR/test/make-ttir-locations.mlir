// Ops say which line they come from, whatever has become of them; none is without.
//
// RUN: tessera-opt %s -make-ttir --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tessera-opt %s -make-ttir --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=NONE --implicit-check-not=unknown
// NONE: tt.func

// CHECK-LABEL: tt.func public @kernel
tt.func public @kernel(%p: !tt.ptr<f32> loc("k.py":1:11), %q: tensor<16x16x!tt.ptr<f32>> loc("k.py":1:14), %a: tensor<16x16xf16> loc("k.py":1:17), %m: tensor<16x16xi1> loc("k.py":1:20), %n: i64 loc("k.py":1:23), %x: f32 loc("k.py":1:26)) {
  %c0 = arith.constant 0 : i32 loc("k.py":2:1)
  %c1 = arith.constant 1 : i32 loc("k.py":2:2)
  %c4 = arith.constant 4 : i32 loc("k.py":2:3)
  %f0 = arith.constant 0.0 : f32 loc("k.py":2:4)
  %zero = tt.splat %f0 : f32 -> tensor<16x16xf32> loc("k.py":2:5)

  // Pointers: the op that is left is the last one's.
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i64 loc("k.py":4:1)
  // CHECK: tt.addptr %{{.*}} : !tt.ptr<f32>, i64 loc("k.py":4:1)
  %0 = tt.addptr %p, %n : !tt.ptr<f32>, i64 loc("k.py":3:1)
  %1 = tt.addptr %0, %n : !tt.ptr<f32>, i64 loc("k.py":4:1)

  // A load that takes the value of a select is still the load.
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} loc("k.py":5:1)
  %2 = tt.load %q, %m : tensor<16x16x!tt.ptr<f32>> loc("k.py":5:1)
  %3 = arith.select %m, %2, %zero : tensor<16x16xi1>, tensor<16x16xf32> loc("k.py":6:1)

  // What moves before a splat keeps its line; the splat shows that line's value.
  // CHECK: math.exp %{{.*}} : f32 loc("k.py":8:1)
  // CHECK-NEXT: tt.splat %{{.*}} loc("k.py":8:1)
  %4 = tt.splat %x : f32 -> tensor<16x16xf32> loc("k.py":7:1)
  %5 = math.exp %4 : tensor<16x16xf32> loc("k.py":8:1)

  // CHECK: scf.for
  %6 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %3) -> (tensor<16x16xf32>) : i32 {
    // A dot that accumulates is still the dot; both copies of an unrolled loop are.
    // CHECK: tt.dot {{.*}} loc("k.py":10:1)
    // CHECK: arith.addf {{.*}} loc(callsite("k.py":30:1 at "k.py":12:1))
    // CHECK: tt.dot {{.*}} loc("k.py":10:1)
    // CHECK: } loc("k.py":9:1)
    %7 = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32> loc("k.py":10:1)
    %8 = arith.addf %sum, %7 : tensor<16x16xf32> loc("k.py":11:1)
    %9 = tt.call @helper(%8, %5) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> loc("k.py":12:1)
    scf.yield %9 : tensor<16x16xf32> loc("k.py":9:2)
  } {tt.loop_unroll_factor = 2 : i32} loc("k.py":9:1)

  // A sum of products is a dot where the sum was.
  // CHECK: tt.dot {{.*}} loc("k.py":15:1)
  %10 = tt.expand_dims %6 {axis = 2 : i32} : tensor<16x16xf32> -> tensor<16x16x1xf32> loc("k.py":13:1)
  %11 = tt.broadcast %10 : tensor<16x16x1xf32> -> tensor<16x16x16xf32> loc("k.py":14:1)
  %12 = tt.expand_dims %5 {axis = 0 : i32} : tensor<16x16xf32> -> tensor<1x16x16xf32> loc("k.py":13:2)
  %13 = tt.broadcast %12 : tensor<1x16x16xf32> -> tensor<16x16x16xf32> loc("k.py":14:2)
  %14 = arith.mulf %11, %13 : tensor<16x16x16xf32> loc("k.py":14:3)
  %15 = "tt.reduce"(%14) <{axis = 1 : i32}> ({
  ^bb0(%y: f32 loc("k.py":15:2), %z: f32 loc("k.py":15:3)):
    %16 = arith.addf %y, %z : f32 loc("k.py":15:4)
    tt.reduce.return %16 : f32 loc("k.py":15:5)
  }) : (tensor<16x16x16xf32>) -> tensor<16x16xf32> loc("k.py":15:1)

  // CHECK: tt.store {{.*}} loc("k.py":16:1)
  tt.store %q, %15 : tensor<16x16x!tt.ptr<f32>> loc("k.py":16:1)
  tt.store %1, %x : !tt.ptr<f32> loc("k.py":17:1)
  tt.return loc("k.py":18:1)
} loc("k.py":1:1)

tt.func private @helper(%x: tensor<16x16xf32> loc("k.py":29:1), %y: tensor<16x16xf32> loc("k.py":29:2)) -> tensor<16x16xf32> {
  %0 = arith.addf %x, %y : tensor<16x16xf32> loc("k.py":30:1)
  tt.return %0 : tensor<16x16xf32> loc("k.py":31:1)
} loc("k.py":28:1)
