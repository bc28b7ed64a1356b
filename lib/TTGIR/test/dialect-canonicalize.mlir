// Conversions of layouts that cost nothing to leave out, other folds, and what they leave alone.
//
// RUN: tessera-opt %s -canonicalize -allow-unregistered-dialect | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked3 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#pairs = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#pairs1 = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-warps" = 4 : i32} {

// CHECK-LABEL: @convert_of
// CHECK-SAME: (%[[X:.*]]: tensor<512xf32, #blocked>, %[[S:.*]]: f32, %[[I:.*]]: tensor<512xi32, #blocked>)
tt.func @convert_of(%x: tensor<512xf32, #blocked>, %s: f32, %i: tensor<512xi32, #blocked>) -> (tensor<512xf32, #blocked>, tensor<512xf32, #blocked1>, tensor<512xf32, #blocked1>, tensor<512xi32, #blocked1>, tensor<512xi32, #blocked1>) {
  %0 = ttg.convert_layout %x : tensor<512xf32, #blocked> -> tensor<512xf32, #blocked1>
  %1 = ttg.convert_layout %0 : tensor<512xf32, #blocked1> -> tensor<512xf32, #blocked>
  // CHECK-DAG: %[[CST:.*]] = arith.constant dense<2.000000e+00> : tensor<512xf32, #blocked1>
  %cst = arith.constant dense<2.0> : tensor<512xf32, #blocked>
  %2 = ttg.convert_layout %cst : tensor<512xf32, #blocked> -> tensor<512xf32, #blocked1>
  // CHECK-DAG: %[[SPLAT:.*]] = tt.splat %[[S]] : f32 -> tensor<512xf32, #blocked1>
  %splat = tt.splat %s : f32 -> tensor<512xf32, #blocked>
  %3 = ttg.convert_layout %splat : tensor<512xf32, #blocked> -> tensor<512xf32, #blocked1>
  // CHECK-DAG: %[[RANGE:.*]] = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked1>
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
  %4 = ttg.convert_layout %range : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked1>
  // CHECK-DAG: %[[BINS:.*]] = tt.histogram %[[I]] : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked1>
  %bins = tt.histogram %i : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked>
  %5 = ttg.convert_layout %bins : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked1>
  // CHECK: tt.return %[[X]], %[[CST]], %[[SPLAT]], %[[RANGE]], %[[BINS]]
  tt.return %1, %2, %3, %4, %5 : tensor<512xf32, #blocked>, tensor<512xf32, #blocked1>, tensor<512xf32, #blocked1>, tensor<512xi32, #blocked1>, tensor<512xi32, #blocked1>
}

// CHECK-LABEL: @convert_of_reordered
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xf32, #blocked2>, %[[Y:.*]]: tensor<256xf32, #blocked>)
tt.func @convert_of_reordered(%x: tensor<64x32xf32, #blocked2>, %y: tensor<256xf32, #blocked>) -> (tensor<2048xf32, #blocked1>, tensor<512xf32, #blocked1>, tensor<2048xf32, #blocked1>) {
  // CHECK: %[[A:.*]] = tt.reshape %[[X]] allow_reorder : tensor<64x32xf32, #blocked2> -> tensor<2048xf32, #blocked1>
  %0 = tt.reshape %x allow_reorder : tensor<64x32xf32, #blocked2> -> tensor<2048xf32, #blocked>
  %1 = ttg.convert_layout %0 : tensor<2048xf32, #blocked> -> tensor<2048xf32, #blocked1>
  // CHECK: %[[B:.*]] = tt.cat %[[Y]], %[[Y]] : tensor<256xf32, #blocked> -> tensor<512xf32, #blocked1>
  %2 = tt.cat %y, %y : tensor<256xf32, #blocked> -> tensor<512xf32, #blocked>
  %3 = ttg.convert_layout %2 : tensor<512xf32, #blocked> -> tensor<512xf32, #blocked1>
  // The layout was chosen on purpose.
  // CHECK: %[[KEPT:.*]] = tt.reshape %[[X]] allow_reorder efficient_layout : tensor<64x32xf32, #blocked2> -> tensor<2048xf32, #blocked>
  // CHECK: %[[C:.*]] = ttg.convert_layout %[[KEPT]]
  %4 = tt.reshape %x allow_reorder efficient_layout : tensor<64x32xf32, #blocked2> -> tensor<2048xf32, #blocked>
  %5 = ttg.convert_layout %4 : tensor<2048xf32, #blocked> -> tensor<2048xf32, #blocked1>
  // CHECK: tt.return %[[A]], %[[B]], %[[C]]
  tt.return %1, %3, %5 : tensor<2048xf32, #blocked1>, tensor<512xf32, #blocked1>, tensor<2048xf32, #blocked1>
}

// CHECK-LABEL: @of_convert
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xf32, #blocked2>, %[[I:.*]]: tensor<512xi32, #blocked>, %[[Y:.*]]: tensor<512xf32, #blocked>, %[[P:.*]]: tensor<128x2xf32, #{{.*}}>)
tt.func @of_convert(%x: tensor<64x32xf32, #blocked2>, %i: tensor<512xi32, #blocked>, %y: tensor<512xf32, #blocked>, %p: tensor<128x2xf32, #pairs>) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  %0 = ttg.convert_layout %x : tensor<64x32xf32, #blocked2> -> tensor<64x32xf32, #blocked3>
  // CHECK: tt.reshape %[[X]] allow_reorder : tensor<64x32xf32, #blocked2> -> tensor<2048xf32, #blocked>
  %1 = tt.reshape %0 allow_reorder : tensor<64x32xf32, #blocked3> -> tensor<2048xf32, #blocked>
  %2 = ttg.convert_layout %i : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked1>
  // CHECK: tt.histogram %[[I]] : tensor<512xi32, #blocked> -> tensor<16xi32, #blocked1>
  %3 = tt.histogram %2 : tensor<512xi32, #blocked1> -> tensor<16xi32, #blocked1>
  %4 = ttg.convert_layout %y : tensor<512xf32, #blocked> -> tensor<512xf32, #blocked1>
  // CHECK: tt.gather %[[Y]][%[[I]]] {axis = 0 : i32}
  %5 = tt.gather %4[%i] {axis = 0 : i32} : (tensor<512xf32, #blocked1>, tensor<512xi32, #blocked>) -> tensor<512xf32, #blocked>
  // CHECK: ttg.local_store %[[X]]
  ttg.local_store %0, %m : tensor<64x32xf32, #blocked3> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  // CHECK: ttg.local_alloc %[[X]]
  %6 = ttg.local_alloc %0 : (tensor<64x32xf32, #blocked3>) -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable>
  // Both pairs denote the same layout of the halves.
  // CHECK: tt.split %[[P]]
  %7 = ttg.convert_layout %p : tensor<128x2xf32, #pairs> -> tensor<128x2xf32, #pairs1>
  %8, %9 = tt.split %7 : tensor<128x2xf32, #pairs1> -> tensor<128xf32, #blocked>
  "test.use"(%1, %3, %5, %6, %8, %9) : (tensor<2048xf32, #blocked>, tensor<16xi32, #blocked1>, tensor<512xf32, #blocked>, !ttg.memdesc<64x32xf32, #shared, #smem, mutable>, tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> ()
  tt.return
}

// CHECK-LABEL: @declines
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xf32, #blocked2>, %[[I:.*]]: tensor<512xi32, #blocked>, %[[M:.*]]: tensor<512xi1, #blocked1>, %[[ACC:.*]]: tensor<64x32xf16, #mma>)
tt.func @declines(%x: tensor<64x32xf32, #blocked2>, %i: tensor<512xi32, #blocked>, %m: tensor<512xi1, #blocked1>, %acc: tensor<64x32xf16, #mma>) {
  // An order must be kept.
  // CHECK: ttg.convert_layout %[[X]]
  %0 = ttg.convert_layout %x : tensor<64x32xf32, #blocked2> -> tensor<64x32xf32, #blocked3>
  %1 = tt.trans %0 {order = array<i32: 0, 1>} : tensor<64x32xf32, #blocked3> -> tensor<64x32xf32, #blocked3>
  // The mask has the other layout.
  // CHECK: ttg.convert_layout %[[I]]
  %2 = ttg.convert_layout %i : tensor<512xi32, #blocked> -> tensor<512xi32, #blocked1>
  %3 = tt.histogram %2, %m : tensor<512xi32, #blocked1> -> tensor<16xi32, #blocked1>
  // An accumulator that feeds the next dot.
  // CHECK: %[[A:.*]] = ttg.convert_layout %[[ACC]]
  // CHECK: ttg.local_alloc %[[A]]
  %4 = ttg.convert_layout %acc : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  %5 = ttg.local_alloc %4 : (tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>) -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
  "test.use"(%1, %3, %5) : (tensor<64x32xf32, #blocked3>, tensor<16xi32, #blocked1>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>) -> ()
  tt.return
}

// CHECK-LABEL: @buffers
// CHECK-SAME: (%[[B:.*]]: !ttg.memdesc<64x32xf16, #shared, #smem>, %[[M:.*]]: !ttg.memdesc<64x32xf16, #shared, #smem, mutable>)
tt.func @buffers(%b: !ttg.memdesc<64x32xf16, #shared, #smem>, %m: !ttg.memdesc<64x32xf16, #shared, #smem, mutable>) -> (!ttg.memdesc<64x32xf16, #shared, #smem>, tensor<64x32xf16, #blocked3>, !ttg.memdesc<64x32xf16, #shared, #smem>, !ttg.memdesc<32x32xi32, #shared, #smem, mutable>, !ttg.memdesc<64x32xf16, #shared, #smem>) {
  %0 = ttg.local_load %b : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #blocked2>
  %1 = ttg.local_alloc %0 : (tensor<64x32xf16, #blocked2>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  // The buffer may have changed since it was read.
  // CHECK: %[[LOADED:.*]] = ttg.local_load %[[M]] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked{{[^2]}}>
  // CHECK: %[[OLD:.*]] = ttg.local_load %[[M]] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked2>
  %2 = ttg.local_load %m : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked2>
  // CHECK: ttg.local_barrier
  ttg.local_barrier
  %3 = ttg.convert_layout %2 : tensor<64x32xf16, #blocked2> -> tensor<64x32xf16, #blocked3>
  // CHECK: %[[COPY:.*]] = ttg.local_alloc %[[OLD]]
  %4 = ttg.local_alloc %2 : (tensor<64x32xf16, #blocked2>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  // CHECK: %[[CAST:.*]] = ttg.memdesc_reinterpret %[[M]] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
  %5 = ttg.memdesc_reinterpret %m : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xi8, #shared, #smem, mutable>
  %6 = ttg.memdesc_reinterpret %5 : !ttg.memdesc<64x64xi8, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable>
  %7 = ttg.memdesc_trans %b {order = array<i32: 0, 1>} : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<64x32xf16, #shared, #smem>
  %8 = ttg.memdesc_reshape %7 : !ttg.memdesc<64x32xf16, #shared, #smem> -> !ttg.memdesc<64x32xf16, #shared, #smem>
  // CHECK: tt.return %[[B]], %[[LOADED]], %[[COPY]], %[[CAST]], %[[B]]
  tt.return %1, %3, %4, %6, %8 : !ttg.memdesc<64x32xf16, #shared, #smem>, tensor<64x32xf16, #blocked3>, !ttg.memdesc<64x32xf16, #shared, #smem>, !ttg.memdesc<32x32xi32, #shared, #smem, mutable>, !ttg.memdesc<64x32xf16, #shared, #smem>
}

// An immutable buffer that nobody reads goes; one that has its place in memory is not a value any more.
// CHECK-LABEL: @unused_buffers
tt.func @unused_buffers(%x: tensor<64x32xf16, #blocked2>) {
  // CHECK-NOT: -> !ttg.memdesc<64x32xf16, #shared, #smem>
  %0 = ttg.local_alloc %x : (tensor<64x32xf16, #blocked2>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
  %1 = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<64x32xf16, #blocked2>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
  %2 = ttg.local_load %1 : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #blocked2>
  "test.use"(%2) : (tensor<64x32xf16, #blocked2>) -> ()
  tt.return
}

// CHECK-LABEL: @warp_specialize
// CHECK-SAME: (%[[I:.*]]: i32, %[[J:.*]]: i32)
tt.func @warp_specialize(%i: i32, %j: i32) -> i32 {
  // CHECK: %[[R:.*]] = ttg.warp_specialize(%[[I]])
  // CHECK: ttg.warp_yield %{{.*}} : i32
  // CHECK: partition0(%[[A:.*]]: i32) num_warps(4)
  // CHECK: "test.use"(%[[A]], %[[A]])
  // CHECK: } : (i32) -> i32
  %0:2 = ttg.warp_specialize(%i, %j, %i)
  default {
    %1 = arith.addi %i, %j : i32
    ttg.warp_yield %j, %1 : i32, i32
  }
  partition0(%a: i32, %b: i32, %c: i32) num_warps(4) {
    "test.use"(%a, %c) : (i32, i32) -> ()
    ttg.warp_return
  } : (i32, i32, i32) -> (i32, i32)
  tt.return %0#1 : i32
}

}
