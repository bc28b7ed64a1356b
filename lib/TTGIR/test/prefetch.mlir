// The first operands of an iteration are read in the previous one.
// RUN: tessera-opt %s --ttg-assign-latencies --ttg-schedule-loops --ttg-pipeline --ttg-prefetch --canonicalize --tt-loop-aware-cse | FileCheck %s
// RUN: tessera-opt %s --ttg-assign-latencies --ttg-schedule-loops --ttg-pipeline --ttg-prefetch=max-registers=64 --canonicalize | FileCheck %s --check-prefix=FEW
// RUN: tessera-opt %s --ttg-assign-latencies --ttg-schedule-loops --ttg-pipeline --ttg-prefetch --remark-format=emitRemark --remarks-filter=ttg-prefetch 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tessera-opt %s --ttg-assign-latencies --ttg-schedule-loops --ttg-pipeline --ttg-prefetch=max-registers=64 --remark-format=emitRemark --remarks-filter=ttg-prefetch 2>&1 | FileCheck %s --check-prefix=REGISTERS

// The remarks: why one dot stays whole, and how the other is cut.
// REMARK: [Missed] first-operands {{.*}}Reason="an operand is not a tile in shared memory that the dot alone reads", Remark="the dot reads its operands in the same iteration"
// REMARK: [Passed] first-operands {{.*}}Remark="the dot reads the first of 4 pieces of its operands one iteration early", k=16, pieces=4
// REGISTERS: [Missed] first-operands {{.*}}Reason="it would need 80 registers of 64", {{.*}}registers=80

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

// Four pieces along K. Three are read in the iteration itself; the wait, the copies and the read of
// the next iteration's first piece precede the last dot. The loop carries one more counter, from
// which the slots of both tiles are computed.

// CHECK-LABEL: @matmul
// CHECK-COUNT-2: ttg.async_commit_group
// CHECK: ttg.async_wait {num = 1 : i32}
// CHECK: ttg.memdesc_subslice {{.*}}[0, 0] {{.*}} -> !ttg.memdesc<64x16xf16, #shared, #smem, mutable, 64x64>
// CHECK: %[[A0:.*]] = ttg.local_load {{.*}} -> tensor<64x16xf16, #ttg.dot_op<{opIdx = 0
// CHECK: %[[B0:.*]] = ttg.local_load {{.*}} -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 1
// CHECK: scf.for
// CHECK-SAME: = %[[A0]]
// CHECK-SAME: = %[[B0]]
// CHECK-NOT: ttg.async_wait
// CHECK: tt.dot
// CHECK: ttg.memdesc_subslice {{.*}}[0, 48]
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.memdesc_subslice {{.*}}[0, 0]
// CHECK: ttg.local_load
// CHECK: ttg.memdesc_subslice {{.*}}[0, 0]
// CHECK: ttg.local_load
// CHECK-NOT: ttg.local_load
// CHECK: tt.dot
// CHECK-NOT: tt.dot
// CHECK: scf.yield

// FEW-LABEL: @matmul
// FEW: scf.for
// FEW-NOT: ttg.memdesc_subslice
// FEW: tt.dot {{.*}} tensor<64x64xf16
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


// The pass declines: a select stands between the read and the dot.

// CHECK-LABEL: @other
// CHECK: scf.for
// CHECK-NOT: ttg.memdesc_subslice
// CHECK: scf.yield
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

}
