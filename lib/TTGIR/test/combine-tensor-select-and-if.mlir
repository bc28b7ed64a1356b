// RUN: tessera-opt %s --ttg-combine-tensor-select-and-if | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!t = tensor<128xf32, #b>
module attributes {"ttg.num-warps" = 4 : i32} {

// After the branch; one of the tensors is the branch's own result.
// CHECK-LABEL: @after
//  CHECK-SAME: %[[C:.*]]: i1, %[[A:.*]]: tensor<128xf32, #blocked>, %[[B:.*]]: tensor<128xf32, #blocked>
//       CHECK: %[[R:.*]]:3 = scf.if %[[C]]
//       CHECK:   %[[S:.*]] = arith.addf
//       CHECK:   scf.yield %[[S]], %[[A]], %[[S]]
//       CHECK: else
//       CHECK:   scf.yield %[[A]], %[[B]], %[[B]]
//   CHECK-NOT: arith.select
//       CHECK: arith.mulf %[[R]]#1, %[[R]]#2
tt.func public @after(%c: i1, %a: !t, %b: !t) -> !t {
  %r = scf.if %c -> !t {
    %s = arith.addf %a, %b : !t
    scf.yield %s : !t
  } else {
    scf.yield %a : !t
  }
  %x = arith.select %c, %a, %b : !t
  %y = arith.select %c, %r, %b : !t
  %z = arith.mulf %x, %y : !t
  tt.return %z : !t
}

// Before it, without results and without an else.
// CHECK-LABEL: @before
//  CHECK-SAME: %[[C:.*]]: i1, %[[A:.*]]: tensor<128xf32, #blocked>, %[[B:.*]]: tensor<128xf32, #blocked>, %[[P:.*]]: tensor
//       CHECK: %[[R:.*]] = scf.if %[[C]]
//       CHECK:   tt.store %[[P]], %[[A]]
//       CHECK:   scf.yield %[[A]]
//       CHECK: else
//       CHECK:   scf.yield %[[B]]
//       CHECK: tt.return %[[R]]
tt.func public @before(%c: i1, %a: !t, %b: !t, %p: tensor<128x!tt.ptr<f32>, #b>) -> !t {
  %x = arith.select %c, %a, %b : !t
  scf.if %c {
    tt.store %p, %x : tensor<128x!tt.ptr<f32>, #b>
  }
  tt.return %x : !t
}

// Declines: used before the branch, chosen from what comes after it, a scalar, another
// condition, a condition for each element.
// CHECK-LABEL: @declines
// CHECK-COUNT-1: arith.select
//         CHECK: scf.if
// CHECK-COUNT-4: arith.select
tt.func public @declines(%c: i1, %d: i1, %m: tensor<128xi1, #b>, %a: !t, %b: !t, %p: tensor<128x!tt.ptr<f32>, #b>, %f: f32) {
  %x = arith.select %c, %a, %b : !t
  tt.store %p, %x : tensor<128x!tt.ptr<f32>, #b>
  scf.if %c {
    tt.store %p, %a : tensor<128x!tt.ptr<f32>, #b>
  }
  %s = arith.addf %a, %b : !t
  %y = arith.select %c, %s, %b : !t
  %g = arith.select %c, %f, %f : f32
  %z = arith.select %d, %a, %b : !t
  %w = arith.select %m, %a, %b : tensor<128xi1, #b>, !t
  tt.store %p, %y : tensor<128x!tt.ptr<f32>, #b>
  tt.store %p, %z : tensor<128x!tt.ptr<f32>, #b>
  tt.store %p, %w : tensor<128x!tt.ptr<f32>, #b>
  %u = tt.splat %g : f32 -> !t
  tt.store %p, %u : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}
}
