// RUN: tessera-opt %s --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#h = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {

// Without a mask, LLVM's own vector accesses; it can reason about those.

// CHECK-LABEL: llvm.func @plain
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
tt.func public @plain(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %v = tt.load %p {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<f32>, #b>
  tt.store %p, %v {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// With a mask, a masked access; where it is off, a load gives zero.

// CHECK-LABEL: llvm.func @masked
// CHECK: %[[ZERO:.*]] = llvm.mlir.zero : vector<4xf32>
// CHECK: llvm.call @null.masked_load.v4f32(%{{.*}}, %arg1, %[[ZERO]])
// CHECK: llvm.call @null.masked_store.v4f32(%{{.*}}, %arg1, %{{.*}})
tt.func public @masked(%x: !tt.ptr<f32>, %m: i1) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %ms = tt.splat %m : i1 -> tensor<128xi1, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %v = tt.load %p, %ms {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<f32>, #b>
  tt.store %p, %v, %ms {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// A mask that may end inside a vector: vectors where it does not, single elements where it does.

// CHECK-LABEL: llvm.func @ragged
// CHECK: %[[SAME:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i1
// CHECK-COUNT-1: llvm.call @null.masked_load.v4f32(
// CHECK: llvm.cond_br %[[SAME]], ^[[AFTER:bb[0-9]+]]({{.*}}), ^[[SINGLE:bb[0-9]+]]
// CHECK: ^[[SINGLE]]:
// CHECK-COUNT-4: llvm.call @null.masked_load.f32(
// CHECK: llvm.br ^[[AFTER]](
// CHECK: ^[[AFTER]](%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: llvm.cond_br
// CHECK-COUNT-1: llvm.call @null.masked_store.v4f32(
// CHECK-COUNT-4: llvm.call @null.masked_store.f32(
tt.func public @ragged(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<128xi32, #b>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %v = tt.load %p, %m {ttg.access = array<i32: 0, 4>, ttg.prefix_mask} : tensor<128x!tt.ptr<f32>, #b>
  tt.store %p, %v, %m {ttg.access = array<i32: 0, 4>, ttg.prefix_mask} : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// Words of narrow elements are taken apart behind the branch.

// CHECK-LABEL: llvm.func @ragged_halves
// CHECK: llvm.cond_br %{{.*}}, ^[[AFTER:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32, i32), ^[[SINGLE:bb[0-9]+]]
// CHECK: ^[[AFTER]](%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32):
// CHECK-COUNT-4: llvm.bitcast %{{.*}} : i32 to vector<2xf16>
tt.func public @ragged_halves(%x: !tt.ptr<f16>, %n: i32) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #h>
  %ns = tt.splat %n : i32 -> tensor<256xi32, #h>
  %m = arith.cmpi slt, %r, %ns : tensor<256xi32, #h>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #h>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f16>, #h>, tensor<256xi32, #h>
  %v = tt.load %p, %m {ttg.access = array<i32: 0, 8>, ttg.prefix_mask} : tensor<256x!tt.ptr<f16>, #h>
  tt.store %p, %v {ttg.access = array<i32: 0, 8>} : tensor<256x!tt.ptr<f16>, #h>
  tt.return
}

// Or `other`. Bools are bytes.

// CHECK-LABEL: llvm.func @other
// CHECK-COUNT-7: llvm.insertelement %arg3, {{.*}} : vector<8xf16>
// CHECK: %[[OTHER:.*]] = llvm.insertelement %arg3, {{.*}} : vector<8xf16>
// CHECK: llvm.call @null.masked_load.v8f16(%{{.*}}, %arg2, %[[OTHER]])
// CHECK: llvm.call @null.masked_load.i8(
// CHECK: llvm.icmp "ne" %{{.*}}, %{{.*}} : i8
tt.func public @other(%x: !tt.ptr<f16>, %f: !tt.ptr<i1>, %m: i1, %h: f16) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #h>
  %ms = tt.splat %m : i1 -> tensor<256xi1, #h>
  %hs = tt.splat %h : f16 -> tensor<256xf16, #h>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #h>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f16>, #h>, tensor<256xi32, #h>
  %v = tt.load %p, %ms, %hs {ttg.access = array<i32: 0, 8>} : tensor<256x!tt.ptr<f16>, #h>
  %b = tt.load %f, %m : !tt.ptr<i1>
  tt.store %p, %v {ttg.access = array<i32: 0, 8>} : tensor<256x!tt.ptr<f16>, #h>
  tt.store %f, %b : !tt.ptr<i1>
  tt.return
}

// 16 elements and 32 threads: all load, the lower half stores. A scalar is
// stored by one thread.

// CHECK-LABEL: llvm.func @replicated
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: %[[A:.*]] = llvm.mlir.addressof @null.thread_id
// CHECK: %[[T:.*]] = llvm.load %[[A]]
// CHECK: %[[HIGH:.*]] = llvm.and %[[T]], %{{.*}} : i32
// CHECK: %[[ONE:.*]] = llvm.icmp "eq" %[[HIGH]]
// CHECK: llvm.call @null.masked_store.f32(%{{.*}}, %[[ONE]], %{{.*}})
// CHECK: %[[A2:.*]] = llvm.mlir.addressof @null.thread_id
// CHECK: %[[T2:.*]] = llvm.load %[[A2]]
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[T2]]
// CHECK: llvm.call @null.masked_store.f32(%arg0, %[[FIRST]], %arg1)
tt.func public @replicated(%x: !tt.ptr<f32>, %s: f32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #c>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #c>
  %p = tt.addptr %xs, %r : tensor<16x!tt.ptr<f32>, #c>, tensor<16xi32, #c>
  %v = tt.load %p : tensor<16x!tt.ptr<f32>, #c>
  tt.store %p, %v : tensor<16x!tt.ptr<f32>, #c>
  tt.store %x, %s : !tt.ptr<f32>
  tt.return
}

// Registers that replicate are loaded once: four registers, one element.

// CHECK-LABEL: llvm.func @replicated_registers
// CHECK-COUNT-1: llvm.load
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func public @replicated_registers(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<1x!tt.ptr<f32>, #b>, tensor<1xi32, #b>
  %v = tt.load %p : tensor<1x!tt.ptr<f32>, #b>
  tt.return
}

// CHECK-LABEL: llvm.func @pointers
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
tt.func public @pointers(%x: !tt.ptr<!tt.ptr<f32>>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<!tt.ptr<f32>> -> tensor<128x!tt.ptr<!tt.ptr<f32>>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<!tt.ptr<f32>>, #b>, tensor<128xi32, #b>
  %v = tt.load %p {ttg.access = array<i32: 0, 2>} : tensor<128x!tt.ptr<!tt.ptr<f32>>, #b>
  %w = tt.load %v : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// Elements of a broadcast have one address, which is read once.

// CHECK-LABEL: llvm.func @one_address
// CHECK-COUNT-1: llvm.call @null.masked_load.f32(
// CHECK-NOT: llvm.call @null.masked_load
// CHECK: llvm.return
tt.func public @one_address(%x: !tt.ptr<f32>, %m: i1, %out: tensor<128x!tt.ptr<f32>, #b>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %ms = tt.splat %m : i1 -> tensor<128xi1, #b>
  %v = tt.load %xs, %ms : tensor<128x!tt.ptr<f32>, #b>
  tt.store %out, %v : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}
}
