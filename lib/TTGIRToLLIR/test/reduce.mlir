// RUN: tessera-opt %s --split-input-file --ttg-outline-functions --ttg-allocate-shared-memory --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {

// Registers, lanes, then the warps through memory: one barrier.
// CHECK: llvm.mlir.global external @global_smem
// CHECK-LABEL: llvm.func @max_of_row
// CHECK-COUNT-7: llvm.intr.maxnum
// CHECK-NOT: llvm.intr.maxnum
// CHECK: llvm.call @null.shuffle_xor
// CHECK-NEXT: llvm.intr.maxnum
// CHECK-COUNT-4: llvm.call @null.shuffle_xor
// CHECK-NOT: llvm.call @null.shuffle
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[LANE]]
// CHECK: llvm.call @null.masked_store_shared.f32(%{{.*}}, %[[FIRST]],
// CHECK-NEXT: llvm.call @null.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-3: llvm.intr.maxnum
// CHECK-NOT: llvm.intr.maxnum
// CHECK-NOT: llvm.call @null.barrier
// CHECK: llvm.return
tt.func public @max_of_row(%x: tensor<1024xf32, #b>, %p: !tt.ptr<f32>) {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.maxnumf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<1024xf32, #b>) -> f32
  tt.store %p, %m : !tt.ptr<f32>
  tt.return
}
}

// -----

// Within a warp no memory is needed. A function is called; what lane 0 has counts, since
// the others have combined with sides exchanged.
#w = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {
// CHECK-NOT: @global_smem
// CHECK-LABEL: llvm.func private @affine.function
// CHECK-SAME: -> !llvm.struct<(i32, i32)> attributes {always_inline
// CHECK-LABEL: llvm.func @affine
// CHECK-COUNT-2: llvm.call @null.shuffle_xor
// CHECK: llvm.call @affine.function
// CHECK-COUNT-8: llvm.call @null.shuffle_xor
// CHECK: llvm.call @affine.function
// CHECK-NOT: bfly
// CHECK-COUNT-2: llvm.call @null.shuffle_from
// CHECK-NOT: llvm.call @null.barrier
// CHECK: llvm.return
tt.func public @affine(%x: tensor<32xi32, #w>, %y: tensor<32xi32, #w>, %p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %m:2 = "tt.reduce"(%x, %y) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %e = arith.muli %a, %c : i32
    %f = arith.muli %b, %c : i32
    %g = arith.addi %f, %d : i32
    tt.reduce.return %e, %g : i32, i32
  }) : (tensor<32xi32, #w>, tensor<32xi32, #w>) -> (i32, i32)
  tt.store %p, %m#0 : !tt.ptr<i32>
  tt.store %q, %m#1 : !tt.ptr<i32>
  tt.return
}
}

// -----

// Only registers hold the dimension: no thread talks to another.
#r = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {
// CHECK-LABEL: llvm.func @rows_of_threads
// CHECK-COUNT-3: llvm.fadd
// CHECK-NOT: llvm.call @null.shuffle
// CHECK-NOT: llvm.call @null.barrier
tt.func public @rows_of_threads(%x: tensor<128x4xf32, #r>, %p: tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #r}>>) {
  %m = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<128x4xf32, #r>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #r}>>
  tt.store %p, %m : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #r}>>
  tt.return
}
}

// -----

// Of 16 warps' results each lane reads four; two more shuffles, no second barrier.
#many = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [16], order = [0]}>
module attributes {"ttg.num-warps" = 16 : i32, ttg.target = "null"} {
// CHECK-LABEL: llvm.func @many_warps
// CHECK-COUNT-5: llvm.call @null.shuffle_xor
// CHECK: llvm.call @null.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: llvm.call @null.shuffle_xor
// CHECK-NOT: llvm.call @null.shuffle
// CHECK-NOT: llvm.call @null.barrier
tt.func public @many_warps(%x: tensor<512xf32, #many>, %p: !tt.ptr<f32>) {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<512xf32, #many>) -> f32
  tt.store %p, %m : !tt.ptr<f32>
  tt.return
}
}
