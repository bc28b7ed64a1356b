// RUN: tessera-opt %s --ttg-optimize-thread-locality --canonicalize --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-optimize-thread-locality --split-input-file --remark-format=emitRemark --remarks-filter=ttg-optimize-thread-locality 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] reduction {{.*}}Remark="threads exchange the reduction's results once, after the loop"
// REMARK: [Missed] reduction {{.*}}Reason="the loop and the reduction combine values by different ops", Remark="threads combine their values in every iteration"

#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.slice<{dim = 1, parent = #l}>
module attributes {"ttg.num-warps" = 4 : i32} {
// Each thread adds the four that it holds; the lanes exchange after the loop.

// CHECK-LABEL: tt.func public @rows
// CHECK-DAG: %[[INIT:.*]] = arith.constant dense<1.000000e+00> : tensor<32xf32, #{{.*}}>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<32x32xf32, #{{.*}}>
// CHECK: %[[PART:.*]] = scf.for {{.*}} iter_args(%[[ARG:.*]] = %[[ZERO]]) -> (tensor<32x32xf32, #{{.*}}>)
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[V:.*]] = tt.reshape %[[X]] : tensor<32x128xf32, #{{.*}}> -> tensor<32x32x4xf32, #{{.*}}>
// CHECK: %[[T:.*]] = "tt.reduce"(%[[V]]) <{axis = 2 : i32}>
// CHECK: %[[N:.*]] = arith.addf %[[ARG]], %[[T]] : tensor<32x32xf32
// CHECK: scf.yield %[[N]]
// CHECK: %[[ALL:.*]] = "tt.reduce"(%[[PART]]) <{axis = 1 : i32}>
// CHECK: %[[C:.*]] = ttg.convert_layout %[[ALL]]
// CHECK: %[[R:.*]] = arith.addf %[[C]], %[[INIT]]
// CHECK: tt.store %{{.*}}, %[[R]]
tt.func public @rows(%p: tensor<32x128x!tt.ptr<f32>, #l>, %q: tensor<32x!tt.ptr<f32>, #s>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<32xf32, #s>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<32xf32, #s>) : i32 {
    %x = tt.load %p {isVolatile = true} : tensor<32x128x!tt.ptr<f32>, #l>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32, #l>) -> tensor<32xf32, #s>
    %next = arith.addf %acc, %s : tensor<32xf32, #s>
    scf.yield %next : tensor<32xf32, #s>
  }
  tt.store %q, %r : tensor<32x!tt.ptr<f32>, #s>
  tt.return
}

// Declines: the total is used in the loop; it is combined otherwise; there is more to it
// than one op.

// CHECK-LABEL: tt.func public @used
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @used(%p: tensor<32x128x!tt.ptr<f32>, #l>, %q: tensor<32x!tt.ptr<f32>, #s>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<32xf32, #s>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %max = %init, %odd = %init) -> (tensor<32xf32, #s>, tensor<32xf32, #s>, tensor<32xf32, #s>) : i32 {
    %x = tt.load %p {isVolatile = true} : tensor<32x128x!tt.ptr<f32>, #l>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32, #l>) -> tensor<32xf32, #s>
    %next = arith.addf %acc, %s : tensor<32xf32, #s>
    tt.store %q, %acc : tensor<32x!tt.ptr<f32>, #s>
    %t = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32, #l>) -> tensor<32xf32, #s>
    %nmax = arith.maxnumf %max, %t : tensor<32xf32, #s>
    %u = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %b, %b : f32
      %d = arith.addf %a, %c : f32
      tt.reduce.return %d : f32
    }) : (tensor<32x128xf32, #l>) -> tensor<32xf32, #s>
    %nodd = arith.addf %odd, %u : tensor<32xf32, #s>
    scf.yield %next, %nmax, %nodd : tensor<32xf32, #s>, tensor<32xf32, #s>, tensor<32xf32, #s>
  }
  tt.store %q, %r#0 : tensor<32x!tt.ptr<f32>, #s>
  tt.store %q, %r#1 : tensor<32x!tt.ptr<f32>, #s>
  tt.store %q, %r#2 : tensor<32x!tt.ptr<f32>, #s>
  tt.return
}
}

// -----

#v = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#in = #ttg.blocked<{sizePerThread = [32, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// A scalar; a thread's elements lie on both sides of the lanes and warps.

// CHECK-LABEL: tt.func public @scalar
// CHECK: %[[LOW:.*]] = arith.constant dense<-2147483648> : tensor<128xi32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[LOW]])
// CHECK: tt.reshape {{.*}} -> tensor<2x128x4xi32
// CHECK: "tt.reduce"({{.*}}) <{axis = 2 : i32}>
// CHECK: "tt.reduce"({{.*}}) <{axis = 0 : i32}>
// CHECK: arith.maxsi {{.*}} : tensor<128xi32
// CHECK: scf.yield
// CHECK: %[[M:.*]] = "tt.reduce"({{.*}}) <{axis = 0 : i32}>
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : i32
tt.func public @scalar(%p: tensor<1024x!tt.ptr<i32>, #v>, %q: !tt.ptr<i32>, %init: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (i32) : i32 {
    %x = tt.load %p {isVolatile = true} : tensor<1024x!tt.ptr<i32>, #v>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<1024xi32, #v>) -> i32
    %next = arith.maxsi %acc, %s : i32
    scf.yield %next : i32
  }
  tt.store %q, %r : !tt.ptr<i32>
  tt.return
}

// Declines: each thread holds a whole column.

// CHECK-LABEL: tt.func public @columns
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @columns(%p: tensor<32x128x!tt.ptr<f32>, #in>, %q: tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #in}>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<128xf32, #ttg.slice<{dim = 0, parent = #in}>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128xf32, #ttg.slice<{dim = 0, parent = #in}>>) : i32 {
    %x = tt.load %p {isVolatile = true} : tensor<32x128x!tt.ptr<f32>, #in>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x128xf32, #in>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #in}>>
    %next = arith.addf %acc, %s : tensor<128xf32, #ttg.slice<{dim = 0, parent = #in}>>
    scf.yield %next : tensor<128xf32, #ttg.slice<{dim = 0, parent = #in}>>
  }
  tt.store %q, %r : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #in}>>
  tt.return
}
}
