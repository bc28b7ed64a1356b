// Which loads of a loop run ahead, and by how many rounds.
// RUN: tessera-opt %s --ttg-assign-latencies | FileCheck %s
// RUN: tessera-opt %s --ttg-assign-latencies=num-stages=5 | FileCheck %s --check-prefix=DEEP
// RUN: tessera-opt %s --ttg-assign-latencies=num-stages=1 | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %s --ttg-assign-latencies=max-registers=120 | FileCheck %s --check-prefix=FEW
// RUN: tessera-opt %s --ttg-assign-latencies="num-stages=5 max-shared-bytes=49152" | FileCheck %s --check-prefix=SMALL
// RUN: tessera-opt %s --ttg-assign-latencies="num-stages=5 max-shared-bytes=24576" | FileCheck %s --check-prefix=HALF
// RUN: tessera-opt %s --ttg-assign-latencies --remark-format=emitRemark --remarks-filter=ttg-assign-latencies 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] latency {{.*}}Reason="8 consecutive elements can be copied at once", Remark="the load is copied asynchronously, 1 iteration ahead"
// REMARK: [Passed] latency {{.*}}Reason="no asynchronous copy of 4 bytes or more is possible", Remark="the load runs 1 iteration ahead, into registers"
// REMARK: [Missed] latency {{.*}}Reason="the loop may change what it, its address or its mask reads", Remark="the load does not run ahead"
// REMARK: [Missed] pipeline {{.*}}Reason="no load in it feeds a dot, and the loop does not set num_stages itself", Remark="the loop is not pipelined"

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!p = tensor<64x64x!tt.ptr<f16>, #b>
!i = tensor<64x64xi32, #b>
!t = tensor<64x64xf16, #b>
!tx = tensor<64x64xf16, #x>
!ty = tensor<64x64xf16, #y>
!acc = tensor<64x64xf32, #mma>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// Tiles of 8 KiB. Stages less two rounds ahead, at least one; fewer where the buffers
// would not fit, and fewer loads where two tiles of each would not.

// CHECK-LABEL: @matmul
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32}
// DEEP-LABEL: @matmul
// DEEP-COUNT-2: tt.load {{.*}} {tt.latency = 3 : i32}
// ONE-LABEL: @matmul
// ONE-NOT: tt.latency
// ONE: tt.return
// SMALL-LABEL: @matmul
// SMALL-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32}
// HALF-LABEL: @matmul
// HALF: tt.load %{{[a-z0-9]*}} : tensor
// HALF: tt.load {{.*}} {tt.latency = 1 : i32}
tt.func @matmul(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}

// Two bytes at a time are too few for a copy: one round ahead into registers, if they
// are not too many.

// DEEP-LABEL: @unaligned
// DEEP: tt.load {{.*}} {tt.latency = 1 : i32}
// DEEP: tt.load {{.*}} {tt.latency = 3 : i32}
// FEW-LABEL: @unaligned
// FEW: tt.load %{{[a-z0-9]*}} : tensor
// FEW: tt.load {{.*}} {tt.latency = 1 : i32}
tt.func @unaligned(%a: !tt.ptr<f16> {tt.divisibility = 2 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}

// A store into what the loop loads from: nothing of it may be loaded before.

// CHECK-LABEL: @overwritten
// CHECK: tt.load %{{[a-z0-9]*}} : tensor
// CHECK: tt.load {{.*}} {tt.latency = 1 : i32}
tt.func @overwritten(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    tt.store %pa, %bv : !p
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}

// Without a dot, loads stay where they are unless the loop asks for stages.

// CHECK-LABEL: @plain
// CHECK-NOT: tt.latency
// CHECK: tt.return
tt.func @plain(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %c: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %cs = tt.splat %c : !tt.ptr<f16> -> !p
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%pa = %ap) -> (!p) : i32 {
    %av = tt.load %pa : !p
    tt.store %cs, %av : !p
    %pa1 = tt.addptr %pa, %step : !p, !i
    scf.yield %pa1 : !p
  }
  tt.return
}

// CHECK-LABEL: @asked_for
// CHECK: tt.load {{.*}} {tt.latency = 2 : i32}
// ONE-LABEL: @asked_for
// ONE: tt.load {{.*}} {tt.latency = 2 : i32}
tt.func @asked_for(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %c: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %cs = tt.splat %c : !tt.ptr<f16> -> !p
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%pa = %ap) -> (!p) : i32 {
    %av = tt.load %pa : !p
    tt.store %cs, %av : !p
    %pa1 = tt.addptr %pa, %step : !p, !i
    scf.yield %pa1 : !p
  } {tt.num_stages = 4 : i32}
  tt.return
}

// Only the inner of two loops.

// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK: tt.load %{{[a-z0-9]*}} : tensor
// CHECK: scf.for
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32}
tt.func @nested(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %c: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %cs = tt.splat %c : !tt.ptr<f16> -> !p
  scf.for %o = %c0 to %n step %c1 : i32 {
    %outer = tt.load %ap : !p
    tt.store %cs, %outer : !p
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
      %av = tt.load %pa : !p
      %bv = tt.load %pb : !p
      %ax = ttg.convert_layout %av : !t -> !tx
      %by = ttg.convert_layout %bv : !t -> !ty
      %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
      %pa1 = tt.addptr %pa, %step : !p, !i
      %pb1 = tt.addptr %pb, %step : !p, !i
      scf.yield %d, %pa1, %pb1 : !acc, !p, !p
    }
  }
  tt.return
}

// A number that says where tiles lie runs ahead of the loads of the tiles.

// CHECK-LABEL: @indirect
// CHECK: tt.load {{.*}} {tt.latency = 1 : i32} : !tt.ptr<i32>
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32} : tensor
// DEEP-LABEL: @indirect
// DEEP: tt.load {{.*}} {tt.latency = 1 : i32} : !tt.ptr<i32>
// DEEP-COUNT-2: tt.load {{.*}} {tt.latency = 2 : i32} : tensor
tt.func @indirect(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %pages: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %c64 = arith.constant 64 : i32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %at = tt.addptr %pages, %k : !tt.ptr<i32>, i32
    %page = tt.load %at : !tt.ptr<i32>
    %off = arith.muli %page, %c64 : i32
    %offs = tt.splat %off : i32 -> !i
    %pa = tt.addptr %ap, %offs : !p, !i
    %pb = tt.addptr %bp, %offs : !p, !i
    %av = tt.load %pa : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return
}

// What the user says stays.

// CHECK-LABEL: @users
// CHECK: tt.load {{.*}} {tt.latency = 7 : i32}
// CHECK: tt.load %{{[a-z0-9]*}} : tensor
tt.func @users(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa {tt.latency = 7 : i32} : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}

// Volatile loads happen when they are written; a barrier keeps everything in its place.

// CHECK-LABEL: @ordered
// CHECK-NOT: tt.latency
// CHECK: tt.return
tt.func @ordered(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa {isVolatile = true} : !p
    gpu.barrier
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}

// The sum of the iteration before last is carried too: more than MLIR's pipeliner does.

// CHECK-LABEL: @exchanged
// CHECK-NOT: tt.latency
// CHECK: tt.return
tt.func @exchanged(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %old = %zero, %pa = %ap, %pb = %bp) -> (!acc, !acc, !p, !p) : i32 {
    %av = tt.load %pa : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %acc, %pa1, %pb1 : !acc, !acc, !p, !p
  }
  tt.return
}
}
