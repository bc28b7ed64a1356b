// Scheduled loops with buffers, a prologue and masked last rounds.
// RUN: tessera-opt %s --ttg-assign-latencies --ttg-schedule-loops --ttg-pipeline --canonicalize | FileCheck %s
// RUN: tessera-opt %s --ttg-assign-latencies=num-stages=4 --ttg-schedule-loops --ttg-pipeline --canonicalize | FileCheck %s --check-prefix=FOUR

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

// Two tiles each. The round waits for its own tiles, starts the next round's, and reads
// straight into the layout of the dot.

// CHECK: #shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-LABEL: @matmul
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
// CHECK: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK: ttg.memdesc_index %[[A]][%c0
// CHECK: %[[MASK:.*]] = tt.splat %[[RUNS]]
// CHECK: ttg.async_copy_global_to_local {{.*}} mask %[[MASK]] {contiguity = 8 : i32}
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: scf.for %[[I:[a-z0-9]+]] = {{.*}} iter_args({{.*}}) -> (tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64x!tt.ptr<f16>, #blocked>, i32, i32)
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[I]],
// CHECK: %[[TOKEN:.*]] = ttg.async_wait {num = 0 : i32}
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: ttg.local_load {{.*}} token %[[TOKEN]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
// CHECK: ttg.local_load {{.*}} token %[[TOKEN]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.dot
// CHECK: scf.yield
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.local_dealloc %[[A]]
// CHECK: ttg.local_dealloc %[[B]]

// Three tiles: one group may stay under way while the loop waits for the one before.

// FOUR-LABEL: @matmul
// FOUR: ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16
// FOUR-COUNT-2: ttg.async_commit_group
// FOUR: scf.for
// FOUR: ttg.async_wait {num = 1 : i32}
// FOUR: ttg.async_commit_group
// FOUR: scf.yield
tt.func @matmul(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> !acc {
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
  tt.return %r#0 : !acc
}

// A value other than zero under the mask is put in after the read, from a mask that the
// last stage computes for itself.

// CHECK-LABEL: @other
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_commit_group
// CHECK: %[[V:.*]] = ttg.local_load {{.*}} -> tensor<64x64xf16, #blocked>
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]],
// CHECK: %[[MASK:.*]] = tt.splat %[[IN]]
// CHECK: %[[S:.*]] = arith.select %[[MASK]], %[[V]],
// CHECK: ttg.convert_layout %[[S]]
tt.func @other(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) -> !acc {
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
  %five = arith.constant dense<5.0> : !t
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %off = arith.muli %k, %c64 : i32
    %offs = tt.splat %off : i32 -> !i
    %pa = tt.addptr %ap, %offs : !p, !i
    %pb = tt.addptr %bp, %offs : !p, !i
    %in = arith.cmpi slt, %k, %c64 : i32
    %mask = tt.splat %in : i1 -> tensor<64x64xi1, #b>
    %av = tt.load %pa, %mask, %five : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return %r : !acc
}

// A number runs ahead into a register.

// CHECK-LABEL: @indirect
// CHECK: tt.load {{.*}} : !tt.ptr<i32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<64x64xf32, #mma>, i32, i32, i32)
// CHECK: ttg.async_wait
// CHECK: ttg.async_copy_global_to_local
// CHECK: tt.load %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : !tt.ptr<i32>
// CHECK: tt.dot
tt.func @indirect(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %pages: !tt.ptr<i32>) -> !acc {
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
  tt.return %r : !acc
}

// A schedule in which an op runs before what it uses is not followed.

// CHECK-LABEL: @wrong
// CHECK: scf.for
// CHECK-NOT: loop.stage
// CHECK: tt.load
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.return
tt.func @wrong(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
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
  scf.for %k = %c0 to %n step %c1 : i32 {
    %av = tt.load %ap {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !p
    tt.store %bp, %av {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !p
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}
}
