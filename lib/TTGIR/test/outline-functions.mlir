// RUN: tessera-opt %s --split-input-file --ttg-outline-functions | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {

// One op stays: it is one instruction. So does the order of its operands.
// CHECK-LABEL: tt.func public @sum
// CHECK: "tt.reduce"
// CHECK-NOT: ttg.commutes
// CHECK: arith.addf
// CHECK: tt.reduce.return
tt.func public @sum(%x: tensor<512xf32, #b>) -> f32 {
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.addf %c, %a : f32
    tt.reduce.return %t : f32
  }) : (tensor<512xf32, #b>) -> f32
  tt.return %s : f32
}

// More than one op is a function, and whether its sides matter is noted.
// CHECK-LABEL: tt.func private @argmax.function(
// CHECK-SAME: %{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32) -> (f32, i32)
// CHECK: tt.return %{{.*}}, %{{.*}} : f32, i32
// CHECK-LABEL: tt.func public @argmax
// CHECK: "tt.reduce"
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[I:.*]]: i32, %[[B:.*]]: f32, %[[J:.*]]: i32):
// CHECK-NEXT: %[[R:.*]]:2 = tt.call @argmax.function(%[[A]], %[[I]], %[[B]], %[[J]])
// CHECK-NEXT: tt.reduce.return %[[R]]#0, %[[R]]#1
// CHECK-NEXT: }) {ttg.commutes}
tt.func public @argmax(%x: tensor<512xf32, #b>, %i: tensor<512xi32, #b>) -> (f32, i32) {
  %m:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %c: f32, %ci: i32):
    %e = arith.cmpf oeq, %a, %c : f32
    %l = arith.cmpi slt, %ai, %ci : i32
    %t = arith.andi %e, %l : i1
    %g = arith.cmpf ogt, %a, %c : f32
    %o = arith.ori %g, %t : i1
    %v = arith.select %o, %a, %c : f32
    %vi = arith.select %o, %ai, %ci : i32
    tt.reduce.return %v, %vi : f32, i32
  }) : (tensor<512xf32, #b>, tensor<512xi32, #b>) -> (f32, i32)
  tt.return %m#0, %m#1 : f32, i32
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {

// Two of one name; constants from outside are repeated inside, other values are passed.
// CHECK-LABEL: tt.func private @two.function(
// CHECK-SAME: %{{.*}}: f32, %{{.*}}: f32, %[[S:.*]]: f32) -> f32
// CHECK: %[[C:.*]] = arith.constant 2.000000e+00
// CHECK: arith.mulf %{{.*}}, %[[C]]
// CHECK: arith.addf %{{.*}}, %[[S]]
// CHECK-LABEL: tt.func private @two.function_0(
// CHECK: scf.if
// CHECK-LABEL: tt.func public @two
// CHECK: "tt.reduce"
// CHECK: tt.call @two.function(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: ttg.commutes
// CHECK: "tt.scan"
// CHECK: tt.call @two.function_0(%{{.*}}, %{{.*}})
tt.func public @two(%x: tensor<512xf32, #b>, %shift: f32) -> (f32, tensor<512xf32, #b>) {
  %two = arith.constant 2.0 : f32
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %t = arith.mulf %a, %two : f32
    %u = arith.addf %t, %shift : f32
    %v = arith.addf %u, %c : f32
    tt.reduce.return %v : f32
  }) : (tensor<512xf32, #b>) -> f32
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %c: f32):
    %g = arith.cmpf ogt, %a, %c : f32
    %v = scf.if %g -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %c : f32
    }
    tt.scan.return %v : f32
  }) : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  tt.return %s, %r : f32, tensor<512xf32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {

// A mapped function may have blocks of its own, and is one even if it is a single op.
// CHECK-LABEL: tt.func private @map.function(
// CHECK: cf.cond_br
// CHECK: tt.return
// CHECK: tt.return
// CHECK-LABEL: tt.func public @map
// CHECK: "tt.map_elementwise"
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT: %[[R:.*]] = tt.call @map.function(%[[A]])
// CHECK-NEXT: tt.map_elementwise.return %[[R]]
tt.func public @map(%x: tensor<512xf32, #b>) -> tensor<512xf32, #b> {
  %zero = arith.constant 0.0 : f32
  %r = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    %c = arith.cmpf ogt, %a, %zero : f32
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %a : f32
  ^bb2:
    tt.map_elementwise.return %zero : f32
  }) : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  tt.return %r : tensor<512xf32, #b>
}
}
