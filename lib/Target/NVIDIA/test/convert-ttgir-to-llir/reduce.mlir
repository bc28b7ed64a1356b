// RUN: tessera-opt %s --split-input-file --ttg-outline-functions --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {

// Registers, lanes, then the warps through memory: one barrier.
// CHECK: llvm.mlir.global external @global_smem
// CHECK-LABEL: llvm.func @max_of_row
// CHECK-COUNT-7: llvm.intr.maxnum
// CHECK-NOT: llvm.intr.maxnum
// CHECK: nvvm.shfl.sync bfly
// CHECK-NEXT: llvm.bitcast
// CHECK-NEXT: llvm.intr.maxnum
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[LANE]]
// CHECK: llvm.inline_asm has_side_effects "@$0 st.shared.b32 [$1], $2;", "b,r,r,~{memory}" %[[FIRST]]
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-3: llvm.intr.maxnum
// CHECK-NOT: llvm.intr.maxnum
// CHECK-NOT: nvvm.barrier
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

// Integers have an instruction for a whole warp.
// CHECK-LABEL: llvm.func @sum_of_integers
// CHECK-NOT: shfl
// CHECK: nvvm.redux.sync add
// CHECK: nvvm.barrier
// CHECK-LABEL: llvm.func @max_of_bytes
// CHECK: llvm.sext
// CHECK: nvvm.redux.sync max
// CHECK: llvm.trunc
tt.func public @sum_of_integers(%x: tensor<1024xi32, #b>, %p: !tt.ptr<i32>) {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %c: i32):
    %d = arith.addi %a, %c : i32
    tt.reduce.return %d : i32
  }) : (tensor<1024xi32, #b>) -> i32
  tt.store %p, %m : !tt.ptr<i32>
  tt.return
}
tt.func public @max_of_bytes(%x: tensor<1024xi8, #b>, %p: !tt.ptr<i8>) {
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i8, %c: i8):
    %d = arith.maxsi %a, %c : i8
    tt.reduce.return %d : i8
  }) : (tensor<1024xi8, #b>) -> i8
  tt.store %p, %m : !tt.ptr<i8>
  tt.return
}
}

// -----

// Within a warp no memory is needed. A function is called; what lane 0 has counts, since
// the others have combined with sides exchanged.
#w = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80"} {
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: llvm.func private @affine.function
// CHECK-SAME: -> !llvm.struct<(i32, i32)> attributes {always_inline
// CHECK-LABEL: llvm.func @affine
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: llvm.call @affine.function
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK: llvm.call @affine.function
// CHECK-NOT: bfly
// CHECK-COUNT-2: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.barrier
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
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
// CHECK-LABEL: llvm.func @rows_of_threads
// CHECK-COUNT-3: llvm.fadd
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
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
module attributes {"ttg.num-warps" = 16 : i32, ttg.target = "cuda:80"} {
// CHECK-LABEL: llvm.func @many_warps
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
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
