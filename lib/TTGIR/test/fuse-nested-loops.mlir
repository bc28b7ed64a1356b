// A loop that says tt.flatten becomes one with the loop inside.
// RUN: tessera-opt %s --ttg-fuse-nested-loops | FileCheck %s
// RUN: tessera-opt %s --ttg-fuse-nested-loops --remark-format=emitRemark --remarks-filter=ttg-fuse-nested-loops 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] fusion {{.*}}Remark="the loop is fused with its inner loop"

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!p = tensor<128x!tt.ptr<f32>, #b>
!i = tensor<128xi32, #b>
!t = tensor<128xf32, #b>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// The store's pointers are computed in the epilogue: only the outer index, the next one and the base of the loads are carried.
// CHECK-LABEL: @tiles
// CHECK-SAME: (%[[A:.*]]: !tt.ptr<f32>, %[[OUT:.*]]: !tt.ptr<f32>, %[[M:.*]]: i32, %[[N:.*]]: i32)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0{{.*}}, %[[N]]
// CHECK: %[[TRIPS:.*]] = arith.select %[[RUNS]], %{{.*}}, %c0
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[TRIPS]], %c0
// CHECK: scf.if %[[ANY]] {
// CHECK:   %[[LAST:.*]] = arith.subi %[[TRIPS]], %c1
// CHECK:   %[[ALL:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:   scf.for %{{.*}} = %c0_i64 to %[[ALL]] step %c1_i64 iter_args(%[[EARLY:[^ ]*]] = %c0_i32{{[^,]*}}, %[[NEXT:[^ ]*]] = %c1{{[^,]*}}, %[[I:[^ ]*]] = %{{[^,]*}}, %[[P:[^ ]*]] = %{{[^,]*}}, %[[ACC:[^ ]*]] = %[[ZERO]], %[[LATE:[^ ]*]] = %c0_i32{{[^,]*}})
// CHECK:     %[[FIRST:.*]] = arith.cmpi eq, %[[EARLY]], %c0
// CHECK:     %[[NEW:.*]]:3 = scf.if %[[FIRST]] -> (i32, i32, tensor<128x!tt.ptr<f32>, #{{.*}}>) {
// CHECK:       %[[BASE:.*]] = tt.addptr
// CHECK:       %[[THEN:.*]] = arith.addi %[[NEXT]], %c4{{.*}} overflow<nsw>
// CHECK:       scf.yield %[[THEN]], %[[NEXT]], %[[BASE]]
// CHECK:     } else {
// CHECK:       scf.yield %[[NEXT]], %[[I]], %[[P]]
// CHECK:     }
// CHECK:     %[[AT:.*]] = tt.splat %[[EARLY]]
// CHECK:     %[[PTR:.*]] = tt.addptr %[[NEW]]#2, %[[AT]]
// CHECK:     %[[X:.*]] = tt.load %[[PTR]]
// CHECK:     %[[SUM:.*]] = arith.addf %[[ACC]], %[[X]]
// CHECK:     %[[END:.*]] = arith.cmpi eq, %[[LATE]], %[[LAST]]
// CHECK:     %[[RESET:.*]] = scf.if %[[END]] -> (tensor<128xf32, #{{.*}}>) {
// CHECK:       %[[TO:.*]] = tt.splat %[[NEW]]#1
// CHECK:       tt.store %{{.*}}, %[[SUM]]
// CHECK:       scf.yield %[[ZERO]]
// CHECK:     } else {
// CHECK:       scf.yield %[[SUM]]
// CHECK:     }
// CHECK:     scf.yield %{{.*}}, %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2, %[[RESET]], %{{.*}}
// CHECK-NOT: tt.flatten
// CHECK: } else {
// CHECK:   scf.for %{{.*}} = %c1{{.*}} to %[[M]] step %c4
// CHECK-NOT: tt.load
// CHECK:     tt.store %{{.*}}, %[[ZERO]]
// CHECK:   } {tt.num_stages = 1 : i32}
tt.func @tiles(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c1 to %m step %c4 : i32 {
    %off = tt.splat %i : i32 -> !i
    %base = tt.addptr %as, %off : !p, !i
    %to = tt.addptr %outs, %off : !p, !i
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %at = tt.splat %j : i32 -> !i
      %ptr = tt.addptr %base, %at : !p, !i
      %x = tt.load %ptr : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %to, %r : !p
  } {tt.flatten}
  tt.return
}

// The inner loop runs, and says how many stages it wants; the pointers that it moves begin anew with the prologue.
// CHECK-LABEL: @known_to_run
// CHECK-NOT: scf.if
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}}, %{{[^,]*}}, %{{[^ ]*}} = %cst{{[^,]*}}, %[[P:[^ ]*]] = %{{[^,]*}}, %{{[^,]*}})
// CHECK:   scf.if %{{.*}} -> (i32, tensor<128x!tt.ptr<f32>, #{{.*}}>) {
// CHECK:     scf.yield %{{.*}}, %{{.*}} : i32, tensor<128x!tt.ptr<f32>, #{{.*}}>
// CHECK:   } else {
// CHECK:     scf.yield %{{.*}}, %[[P]]
// CHECK:   }
// CHECK:   tt.load
// CHECK: } {tt.disallow_acc_multi_buffer, tt.num_stages = 4 : i32}
// CHECK-NOT: scf.for
tt.func @known_to_run(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !t
  %ones = arith.constant dense<1> : !i
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %off = tt.splat %i : i32 -> !i
    %base = tt.addptr %as, %off : !p, !i
    %r, %q = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %zero, %ptr = %base) -> (!t, !p) : i32 {
      %x = tt.load %ptr : !p
      %sum = arith.addf %acc, %x : !t
      %next = tt.addptr %ptr, %ones : !p, !i
      scf.yield %sum, %next : !t, !p
    } {tt.num_stages = 4 : i32}
    tt.store %outs, %r : !p
  } {tt.flatten, tt.num_stages = 2 : i32, tt.disallow_acc_multi_buffer}
  tt.return
}

// A sum that begins with a load gets it late, in a branch of its own. What the prologue hands on is early, what the
// epilogue hands on is late.
// CHECK-LABEL: @carried
// CHECK: scf.for {{.*}} iter_args(%[[EARLY:[^ ]*]] = %{{[^ ]*}}, %[[NEXT:[^ ]*]] = %{{[^ ]*}}, %[[I:[^ ]*]] = %{{[^ ]*}}, %[[CUR:[^ ]*]] = %{{[^ ]*}}, %[[PLACE:[^ ]*]] = %c0{{[^ ]*}}, %[[ACC:[^ ]*]] = %{{[^ ]*}}, %[[LATE:[^ ]*]] = %c0{{[^ ]*}}, %[[TOTAL:[^ ]*]] = %{{[^ ]*}})
// CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[EARLY]], %c0
// CHECK:   %[[NEW:.*]]:4 = scf.if %[[FIRST]] -> (i32, i32, i32, i32) {
// CHECK:     %[[MOVED:.*]] = arith.addi %[[PLACE]], %{{.*}}
// CHECK-NOT: tt.load
// CHECK:     scf.yield %{{.*}}, %[[NEXT]], %[[PLACE]], %[[MOVED]]
// CHECK:   } else {
// CHECK:     scf.yield %[[NEXT]], %[[I]], %[[CUR]], %[[PLACE]]
// CHECK:   }
// CHECK:   %[[BEGINS:.*]] = arith.cmpi eq, %[[LATE]], %c0
// CHECK:   %[[SUM:.*]] = scf.if %[[BEGINS]] -> (tensor<128xf32, #{{.*}}>) {
// CHECK:     %[[BIAS:.*]] = tt.load
// CHECK:     scf.yield %[[BIAS]]
// CHECK:   } else {
// CHECK:     scf.yield %[[ACC]]
// CHECK:   }
// CHECK:   tt.splat %[[NEW]]#2
// CHECK:   %[[X:.*]] = tt.load
// CHECK:   %[[S:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK:   scf.if
// CHECK:     %[[T:.*]] = arith.addf %[[TOTAL]], %[[S]]
// CHECK:     scf.yield %[[T]]
// CHECK:   } else {
// CHECK:     scf.yield %[[TOTAL]]
// CHECK:   }
tt.func @carried(%a: !tt.ptr<f32>, %bias: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %biases = tt.splat %bias : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  %all, %places = scf.for %i = %c0 to %m step %c1 iter_args(%total = %zero, %place = %c0) -> (!t, i32) : i32 {
    %moved = arith.addi %place, %n : i32
    %off = tt.splat %i : i32 -> !i
    %from = tt.addptr %biases, %off : !p, !i
    %begin = tt.load %from : !p
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %begin) -> (!t) : i32 {
      %here = arith.addi %place, %j : i32
      %base = tt.splat %place : i32 -> !i
      %at = tt.splat %here : i32 -> !i
      %both = arith.addi %base, %at : !i
      %ptr = tt.addptr %as, %both : !p, !i
      %x = tt.load %ptr : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    %t = arith.addf %total, %r : !t
    scf.yield %t, %moved : !t, i32
  } {tt.flatten}
  tt.store %outs, %all : !p
  tt.return
}

// Nobody asks for it.
// CHECK-LABEL: @not_asked
// CHECK: scf.for
// CHECK-NEXT: scf.for
tt.func @not_asked(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  }
  tt.return
}
}
