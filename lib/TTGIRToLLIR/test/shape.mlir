// RUN: tessera-opt %s --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [33]], warp = [[64], [0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {

// Lane and warp bits all move by two places: one shift serves the thread, and
// registers differ by constants in disjoint bits.

// CHECK-LABEL: llvm.func @range
// CHECK: %[[A:.*]] = llvm.mlir.addressof @null.thread_id
// CHECK: %[[T:.*]] = llvm.load %[[A]]
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[P:.*]] = llvm.shl %[[T]], %[[TWO]] overflow<nuw> : i32
// CHECK: llvm.or disjoint %[[P]], %{{.*}} : i32
// CHECK: llvm.or disjoint %[[P]], %{{.*}} : i32
// CHECK: llvm.or disjoint %[[P]], %{{.*}} : i32
// CHECK-COUNT-4: llvm.add %{{.*}} overflow<nsw> : i32
tt.func public @range(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 512 : i32} : tensor<512xi32, #b>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #b>
  %p = tt.addptr %xs, %r : tensor<512x!tt.ptr<i32>, #b>, tensor<512xi32, #b>
  tt.store %p, %r : tensor<512x!tt.ptr<i32>, #b>
  tt.return
}

// A layout that xors: lane bit 4 adds bit 5 of the index and flips bit 0. Bits
// move together where they move alike; where they may meet, xor.

// CHECK-LABEL: llvm.func @swizzled
// CHECK: llvm.and
// CHECK: llvm.lshr
// CHECK: llvm.or disjoint
// CHECK: llvm.xor
tt.func public @swizzled(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #s>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #s>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<i32>, #s>, tensor<128xi32, #s>
  tt.store %p, %r : tensor<128x!tt.ptr<i32>, #s>
  tt.return
}

// A broadcast row costs nothing: one value serves all its copies.

// CHECK-LABEL: llvm.func @broadcast
// CHECK: llvm.mul
// CHECK-NOT: llvm.mul
// CHECK: llvm.return
tt.func public @broadcast(%x: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #m}>>
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #m}>> -> tensor<32x1xi32, #m>
  %w = tt.broadcast %e : tensor<32x1xi32, #m> -> tensor<32x16xi32, #m>
  %ns = tt.splat %n : i32 -> tensor<32x16xi32, #m>
  %o = arith.muli %w, %ns : tensor<32x16xi32, #m>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x16x!tt.ptr<i32>, #m>
  %p = tt.addptr %xs, %o : tensor<32x16x!tt.ptr<i32>, #m>, tensor<32x16xi32, #m>
  tt.store %p, %o : tensor<32x16x!tt.ptr<i32>, #m>
  tt.return
}
}
