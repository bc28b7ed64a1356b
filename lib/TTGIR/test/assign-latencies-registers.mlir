// Loads that are too narrow for copies run ahead into registers: each thread holds 32 elements of
// either tile, a sum of 32, and the pointers from before the loop.
// RUN: tessera-opt %s --ttg-assign-latencies | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: tessera-opt %s --ttg-assign-latencies=max-registers=150 | FileCheck %s --check-prefixes=CHECK,FEWER
// RUN: tessera-opt %s --ttg-assign-latencies --remark-format=emitRemark --remarks-filter=ttg-assign-latencies 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Missed] latency {{.*}}Reason="it cannot be copied asynchronously, and needs 96 registers beside the 128 that the loop carries, of 160"
// REMARK: [Missed] latency {{.*}}Reason="the iteration waits for another operand's load, which has no registers"

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#few = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#many = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
!tx = tensor<64x64xf16, #x>
!ty = tensor<64x64xf16, #y>
!acc = tensor<64x64xf32, #mma>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// Two elements of each of 16 rows: 16 pointers for each tile, as elements of a row have
// constant distances. 32 + 2 * (32 + 2 * 16) = 160 registers.

// CHECK-LABEL: @few_rows
// BOTH-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32}
// FEWER-NOT: tt.latency
tt.func @few_rows(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %n: i32, %stride: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #few}>>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #few}>>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #few}>> -> tensor<64x1xi32, #few>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #few}>> -> tensor<1x64xi32, #few>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #few>
  %down = arith.muli %r, %strides : tensor<64x1xi32, #few>
  %down2 = tt.broadcast %down : tensor<64x1xi32, #few> -> tensor<64x64xi32, #few>
  %along = tt.broadcast %c : tensor<1x64xi32, #few> -> tensor<64x64xi32, #few>
  %offsets = arith.addi %down2, %along : tensor<64x64xi32, #few>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #few>
  %ap = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f16>, #few>, tensor<64x64xi32, #few>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #few>
  %bp = tt.addptr %bs, %offsets : tensor<64x64x!tt.ptr<f16>, #few>, tensor<64x64xi32, #few>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %off = arith.muli %k, %stride : i32
    %offs = tt.splat %off : i32 -> tensor<64x64xi32, #few>
    %pa = tt.addptr %ap, %offs : tensor<64x64x!tt.ptr<f16>, #few>, tensor<64x64xi32, #few>
    %pb = tt.addptr %bp, %offs : tensor<64x64x!tt.ptr<f16>, #few>, tensor<64x64xi32, #few>
    %av = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #few>
    %bv = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #few>
    %ax = ttg.convert_layout %av : tensor<64x64xf16, #few> -> !tx
    %by = ttg.convert_layout %bv : tensor<64x64xf16, #few> -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return %sum : !acc
}

// One element of each of 32 rows: 32 + (32 + 2 * 32) = 128, and the second does not fit. The first
// stays too: an iteration waits for the second anyway.

// CHECK-LABEL: @many_rows
// CHECK-NOT: tt.latency
// CHECK: tt.return
tt.func @many_rows(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %n: i32, %stride: i32) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #many}>>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #many}>>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #many}>> -> tensor<64x1xi32, #many>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #many}>> -> tensor<1x64xi32, #many>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32, #many>
  %down = arith.muli %r, %strides : tensor<64x1xi32, #many>
  %down2 = tt.broadcast %down : tensor<64x1xi32, #many> -> tensor<64x64xi32, #many>
  %along = tt.broadcast %c : tensor<1x64xi32, #many> -> tensor<64x64xi32, #many>
  %offsets = arith.addi %down2, %along : tensor<64x64xi32, #many>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #many>
  %ap = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f16>, #many>, tensor<64x64xi32, #many>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #many>
  %bp = tt.addptr %bs, %offsets : tensor<64x64x!tt.ptr<f16>, #many>, tensor<64x64xi32, #many>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %off = arith.muli %k, %stride : i32
    %offs = tt.splat %off : i32 -> tensor<64x64xi32, #many>
    %pa = tt.addptr %ap, %offs : tensor<64x64x!tt.ptr<f16>, #many>, tensor<64x64xi32, #many>
    %pb = tt.addptr %bp, %offs : tensor<64x64x!tt.ptr<f16>, #many>, tensor<64x64xi32, #many>
    %av = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #many>
    %bv = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #many>
    %ax = ttg.convert_layout %av : tensor<64x64xf16, #many> -> !tx
    %by = ttg.convert_layout %bv : tensor<64x64xf16, #many> -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return %sum : !acc
}
}
