// The stage and the cluster of each op, from latencies.
// RUN: tessera-opt %s --ttg-schedule-loops | FileCheck %s
// RUN: tessera-opt %s --ttg-schedule-loops --remark-format=emitRemark --remarks-filter=ttg-schedule-loops 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] stages {{.*}}Remark="the loop is pipelined in 3 stages", stages=3
// REMARK: [Missed] stages {{.*}}Reason="an address depends on what an earlier iteration loads through it", Remark="the loop is not pipelined"
// REMARK: [Missed] stages {{.*}}Reason="a store, an atomic or a load of what the loop writes would have to run ahead"

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

// CHECK-LABEL: @matmul
// CHECK: tt.load {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32, tt.latency = 2 : i32}
// CHECK: tt.load {{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32, tt.latency = 1 : i32}
// CHECK: ttg.convert_layout {{.*}} {loop.cluster = 2 : i32, loop.stage = 2 : i32}
// CHECK: tt.dot {{.*}} {loop.cluster = 2 : i32, loop.stage = 2 : i32}
// CHECK: tt.addptr {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
// CHECK: tt.addptr {{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32}
// CHECK: tt.scheduled_max_stage = 2 : i32
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
    %av = tt.load %pa {tt.latency = 2 : i32} : !p
    %bv = tt.load %pb {tt.latency = 1 : i32} : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %d, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}

// The next address is what this iteration loaded: nothing to start early.

// CHECK-LABEL: @chain
// CHECK-NOT: {{tt.latency|loop.stage|tt.scheduled}}
// CHECK: tt.return
tt.func @chain(%first: !tt.ptr<i64>, %c: !tt.ptr<i64>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> (!tt.ptr<i64>) : i32 {
    %v = tt.load %p {tt.latency = 1 : i32} : !tt.ptr<i64>
    %next = tt.int_to_ptr %v : i64 -> !tt.ptr<i64>
    scf.yield %next : !tt.ptr<i64>
  }
  tt.return
}

// An atomic that gives the address would happen for iterations that do not exist.

// CHECK-LABEL: @atomic
// CHECK-NOT: {{tt.latency|loop.stage|tt.scheduled}}
// CHECK: tt.return
tt.func @atomic(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<i32>) {
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
  %true = arith.constant true
  scf.for %k = %c0 to %n step %c1 : i32 {
    %page = tt.atomic_rmw add, acq_rel, gpu, %q, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %offs = tt.splat %page : i32 -> !i
    %pa = tt.addptr %ap, %offs : !p, !i
    %av = tt.load %pa {tt.latency = 1 : i32} : !p
    tt.store %bp, %av : !p
  }
  tt.return
}
}
