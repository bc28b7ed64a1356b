// RUN: tessera-opt %s --ttg-scale-after-max --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-scale-after-max="fp-fusion=false" --split-input-file | FileCheck %s --check-prefix=STRICT

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #b}>
!tile = tensor<128x8xf32, #b>
!rows = tensor<128xf32, #row>
module attributes {"ttg.num-warps" = 4 : i32} {

// A branch, whose condition is computed before the loop, chooses where to scale. Nothing else
// needs the scaled elements.
// CHECK-LABEL: @softmax
//  CHECK-SAME: %[[S:.*]]: f32
//   CHECK-DAG: %[[ABOVE:.*]] = arith.cmpf ogt, %[[S]]
//   CHECK-DAG: %[[BELOW:.*]] = arith.cmpf olt, %[[S]]
//       CHECK: %[[C:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
//       CHECK: scf.for
//   CHECK-NOT:   arith.mulf
//       CHECK:   %[[M:.*]] = scf.if %[[C]]
//       CHECK:     %[[R:.*]] = "tt.reduce"(%[[X:.*]]) <{axis = 1
//       CHECK:     %[[T:.*]] = tt.splat %[[S]]
//       CHECK:     arith.mulf %[[R]], %[[T]]
//       CHECK:   else
//       CHECK:     %[[Y:.*]] = arith.mulf %[[X]]
//       CHECK:     "tt.reduce"(%[[Y]])
//       CHECK:   arith.negf
//       CHECK:   math.fma %[[X]],
//   CHECK-NOT:   arith.subf
// STRICT-LABEL: @softmax
//   STRICT-NOT: scf.if
//       STRICT: arith.subf
tt.func public @softmax(%s: f32, %x: !tile, %n: i32, %p: tensor<128x8x!tt.ptr<f32>, #b>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %all = tt.splat %s : f32 -> !tile
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = arith.mulf %x, %all : !tile
    %m = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %h = arith.maxnumf %a, %b : f32
      tt.reduce.return %h : f32
    }) : (!tile) -> !rows
    %e = tt.expand_dims %m {axis = 1 : i32} : !rows -> tensor<128x1xf32, #b>
    %w = tt.broadcast %e : tensor<128x1xf32, #b> -> !tile
    %d = arith.subf %y, %w : !tile
    tt.store %p, %d : tensor<128x8x!tt.ptr<f32>, #b>
  }
  tt.return
}

// A positive constant needs no branch, even outside of loops.
// CHECK-LABEL: @constant
//   CHECK-NOT: scf.if
//       CHECK: %[[R:.*]] = "tt.reduce"(%{{.*}})
//       CHECK: arith.minimumf
//       CHECK: arith.mulf %[[R]],
tt.func public @constant(%x: !tile) -> !rows {
  %two = arith.constant dense<2.0> : !tile
  %y = arith.mulf %two, %x : !tile
  %m = "tt.reduce"(%y) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %h = arith.minimumf %a, %b : f32
    tt.reduce.return %h : f32
  }) : (!tile) -> !rows
  tt.return %m : !rows
}

// Declines: a negative constant, a factor for each element, scaled elements with another use, a sum,
// and a factor that is not a constant outside of a loop.
// CHECK-LABEL: @declines
//   CHECK-NOT: scf.if
// CHECK-COUNT-5: "tt.reduce"(%{{.*}})
//   CHECK-NOT: arith.mulf
tt.func public @declines(%s: f32, %x: !tile, %z: !tile, %p: tensor<128x8x!tt.ptr<f32>, #b>, %q: tensor<128x!tt.ptr<f32>, #row>) {
  %minus = arith.constant dense<-2.0> : !tile
  %two = arith.constant dense<2.0> : !tile
  %all = tt.splat %s : f32 -> !tile
  %y0 = arith.mulf %x, %minus : !tile
  %y1 = arith.mulf %x, %z : !tile
  %y2 = arith.mulf %x, %two : !tile
  tt.store %p, %y2 : tensor<128x8x!tt.ptr<f32>, #b>
  %y4 = arith.mulf %x, %all : !tile
  %m0 = "tt.reduce"(%y0) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %h = arith.maxnumf %a, %b : f32
    tt.reduce.return %h : f32
  }) : (!tile) -> !rows
  %m1 = "tt.reduce"(%y1) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %h = arith.maxnumf %a, %b : f32
    tt.reduce.return %h : f32
  }) : (!tile) -> !rows
  %m2 = "tt.reduce"(%y2) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %h = arith.maxnumf %a, %b : f32
    tt.reduce.return %h : f32
  }) : (!tile) -> !rows
  %m3 = "tt.reduce"(%y0) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %h = arith.addf %a, %b : f32
    tt.reduce.return %h : f32
  }) : (!tile) -> !rows
  %m4 = "tt.reduce"(%y4) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %h = arith.maxnumf %a, %b : f32
    tt.reduce.return %h : f32
  }) : (!tile) -> !rows
  tt.store %q, %m0 : tensor<128x!tt.ptr<f32>, #row>
  tt.store %q, %m1 : tensor<128x!tt.ptr<f32>, #row>
  tt.store %q, %m2 : tensor<128x!tt.ptr<f32>, #row>
  tt.store %q, %m3 : tensor<128x!tt.ptr<f32>, #row>
  tt.store %q, %m4 : tensor<128x!tt.ptr<f32>, #row>
  tt.return
}
}
