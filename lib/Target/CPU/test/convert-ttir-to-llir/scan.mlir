// RUN: tessera-opt --split-input-file --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s

// Along the last axis a vector is scanned in registers. Lanes that a step does
// not reach are combined with the identity of the addition, -0.0; what came
// before is added from the left.

// CHECK-LABEL: llvm.func @running_sums
// CHECK:       ^{{.+}}(%{{.+}}: i64, %[[BEFORE:.+]]: vector<16xf32>):
// CHECK:       %[[X:.+]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:       %[[IDENTITY:.+]] = llvm.mlir.constant(dense<-0.000000e+00> : vector<16xf32>)
// CHECK:       %[[S1:.+]] = llvm.shufflevector %[[X]], %[[IDENTITY]] [31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
// CHECK-NEXT:  llvm.fadd %[[S1]], %[[X]]
// CHECK-NEXT:  llvm.shufflevector {{.*}} [30, 31, 0, 1,
// CHECK-NEXT:  llvm.fadd
// CHECK-NEXT:  llvm.shufflevector {{.*}} [28, 29, 30, 31, 0,
// CHECK-NEXT:  llvm.fadd
// CHECK-NEXT:  llvm.shufflevector {{.*}} [24, 25, 26, 27, 28, 29, 30, 31, 0,
// CHECK-NEXT:  %[[LOCAL:.+]] = llvm.fadd
// CHECK-NEXT:  %[[HERE:.+]] = llvm.fadd %[[BEFORE]], %[[LOCAL]]
// CHECK:       llvm.store %[[HERE]],
// The next vector waits for one addition only.
// CHECK:       %[[LAST:.+]] = llvm.extractelement %[[LOCAL]]
// CHECK:       llvm.fadd %[[BEFORE]], %{{.+}} : vector<16xf32>
tt.func public @running_sums(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %x = tt.load %a : tensor<4096x!tt.ptr<f32>>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%before: f32, %now: f32):
    %sum = arith.addf %before, %now : f32
    tt.scan.return %sum : f32
  }) : (tensor<4096xf32>) -> tensor<4096xf32>
  tt.store %a, %y : tensor<4096x!tt.ptr<f32>>
  tt.return
}

// -----

// In reverse the lanes move the other way. A function without a known identity
// keeps the lanes that a step does not reach.

// CHECK-LABEL: llvm.func @reverse
// CHECK:       llvm.shufflevector %[[X:.+]], %[[X]] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
// CHECK:       llvm.select
// CHECK:       llvm.shufflevector {{.*}} [2, 3,
// CHECK:       llvm.shufflevector {{.*}} [4, 5,
// CHECK:       llvm.shufflevector {{.*}} [8, 9,
tt.func public @reverse(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<i32>>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%before: i32, %now: i32):
    %more = arith.cmpi sgt, %before, %now : i32
    %best = arith.select %more, %before, %now : i32
    tt.scan.return %best : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.store %a, %y : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// A function with a loop cannot be applied to vectors: one element after the
// other, the function emitted once.

// CHECK-LABEL: llvm.func @loop_inside
// CHECK-COUNT-1: llvm.intr.smax
// CHECK-NOT:   llvm.intr.smax
// CHECK:       llvm.return
tt.func public @loop_inside(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<i32>>
  %y = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%before: i32, %now: i32):
    %z = scf.for %i = %c0 to %n step %c1 iter_args(%v = %before) -> (i32) : i32 {
      %w = arith.maxsi %v, %now : i32
      scf.yield %w : i32
    }
    tt.scan.return %z : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.store %a, %y : tensor<64x!tt.ptr<i32>>
  tt.return
}
