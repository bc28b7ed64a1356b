// RUN: tessera-opt %s --amd-fold-uniform-masks --canonicalize | FileCheck %s
// RUN: tessera-opt %s --amd-fold-uniform-masks --remark-format=emitRemark --remarks-filter=amd-fold-uniform-masks 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] mask | Category:amd-fold-uniform-masks

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // The condition chooses the bound: the least number is above no offset.
  // CHECK-LABEL: tt.func @folds(
  // CHECK-SAME: %[[OFFSETS:.*]]: tensor<1x32xi32, #blocked>, %[[BOUND:.*]]: i32, %[[CONDITION:.*]]: i1
  // CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK: %[[CHOSEN:.*]] = arith.select %[[CONDITION]], %[[BOUND]], %[[LEAST]] : i32
  // CHECK: %[[SPLAT:.*]] = tt.splat %[[CHOSEN]]
  // CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[OFFSETS]], %[[SPLAT]]
  // CHECK: %[[MASK:.*]] = tt.broadcast %[[BELOW]]
  // CHECK-NOT: arith.andi
  // CHECK: tt.return %[[MASK]]
  tt.func @folds(%offsets: tensor<1x32xi32, #blocked>, %bound: i32, %condition: i1) -> tensor<32x32xi1, #blocked> {
    %bounds = tt.splat %bound : i32 -> tensor<1x32xi32, #blocked>
    %row = arith.cmpi slt, %offsets, %bounds : tensor<1x32xi32, #blocked>
    %rows = tt.broadcast %row : tensor<1x32xi1, #blocked> -> tensor<32x32xi1, #blocked>
    %all = tt.splat %condition : i1 -> tensor<32x32xi1, #blocked>
    %mask = arith.andi %all, %rows : tensor<32x32xi1, #blocked>
    tt.return %mask : tensor<32x32xi1, #blocked>
  }

  // The bound on the left, of an unsigned comparison, and behind another mask.
  // CHECK-LABEL: tt.func @on_the_left(
  // CHECK: arith.select %{{.*}}, %{{.*}}, %c0_i32 : i32
  // CHECK: arith.cmpi ugt
  // CHECK: arith.andi
  // CHECK-NOT: arith.andi
  tt.func @on_the_left(%offsets: tensor<32x32xi32, #blocked>, %other: tensor<32x32xi1, #blocked>, %bound: i32, %condition: i1) -> tensor<32x32xi1, #blocked> {
    %bounds = tt.splat %bound : i32 -> tensor<32x32xi32, #blocked>
    %row = arith.cmpi ugt, %bounds, %offsets : tensor<32x32xi32, #blocked>
    %both = arith.andi %other, %row : tensor<32x32xi1, #blocked>
    %all = tt.splat %condition : i1 -> tensor<32x32xi1, #blocked>
    %mask = arith.andi %both, %all : tensor<32x32xi1, #blocked>
    tt.return %mask : tensor<32x32xi1, #blocked>
  }

  // The greatest number is below no offset, but it may be equal.
  // CHECK-LABEL: tt.func @not_strict(
  // CHECK: arith.cmpi sge
  // CHECK: arith.andi
  tt.func @not_strict(%offsets: tensor<32x32xi32, #blocked>, %bound: i32, %condition: i1) -> tensor<32x32xi1, #blocked> {
    %bounds = tt.splat %bound : i32 -> tensor<32x32xi32, #blocked>
    %row = arith.cmpi sge, %offsets, %bounds : tensor<32x32xi32, #blocked>
    %all = tt.splat %condition : i1 -> tensor<32x32xi1, #blocked>
    %mask = arith.andi %all, %row : tensor<32x32xi1, #blocked>
    tt.return %mask : tensor<32x32xi1, #blocked>
  }

  // A comparison outside of the loop stays there; one that has another use would be computed twice.
  // CHECK-LABEL: tt.func @stays(
  // CHECK: arith.cmpi slt
  // CHECK: scf.for
  // CHECK-NOT: arith.select
  // CHECK: arith.andi
  // CHECK: scf.yield
  // CHECK: arith.andi
  tt.func @stays(%offsets: tensor<32x32xi32, #blocked>, %bound: i32, %condition: i1, %n: i32, %start: tensor<32x32xi1, #blocked>) -> (tensor<32x32xi1, #blocked>, tensor<32x32xi1, #blocked>, tensor<32x32xi1, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %bounds = tt.splat %bound : i32 -> tensor<32x32xi32, #blocked>
    %row = arith.cmpi slt, %offsets, %bounds : tensor<32x32xi32, #blocked>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %start) -> (tensor<32x32xi1, #blocked>) : i32 {
      %more = arith.cmpi slt, %i, %bound : i32
      %all = tt.splat %more : i1 -> tensor<32x32xi1, #blocked>
      %mask = arith.andi %all, %row : tensor<32x32xi1, #blocked>
      scf.yield %mask : tensor<32x32xi1, #blocked>
    }
    %once = tt.splat %condition : i1 -> tensor<32x32xi1, #blocked>
    %here = arith.andi %once, %row : tensor<32x32xi1, #blocked>
    tt.return %last, %row, %here : tensor<32x32xi1, #blocked>, tensor<32x32xi1, #blocked>, tensor<32x32xi1, #blocked>
  }
}
