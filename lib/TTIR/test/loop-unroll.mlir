// RUN: tessera-opt %s --tt-loop-unroll | FileCheck %s
// RUN: tessera-opt %s --tt-loop-unroll --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Bounds are known at run time only. An empty range has no whole groups, whatever its span.
// CHECK-LABEL: tt.func public @dynamic
// CHECK-SAME: (%[[LB:.*]]: i32, %[[UB:.*]]: i32, %[[S:.*]]: i32, %[[P:.*]]: !tt.ptr<i32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB]], %[[UB]] : i32
// CHECK: %[[SPAN:.*]] = arith.subi %[[UB]], %[[LB]] : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[SPAN]], %[[ONE]] : i32
// CHECK: %[[STEPS:.*]] = arith.divui %[[LAST]], %[[S]] : i32
// CHECK: %[[COUNT:.*]] = arith.addi %[[STEPS]], %[[ONE]] : i32
// CHECK: %[[TRIPS:.*]] = arith.select %[[RUNS]], %[[COUNT]], %[[ZERO]] : i32
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: %[[LEFT:.*]] = arith.remui %[[TRIPS]], %[[FOUR]] : i32
// CHECK: %[[WHOLE:.*]] = arith.subi %[[TRIPS]], %[[LEFT]] : i32
// CHECK: %[[LENGTH:.*]] = arith.muli %[[WHOLE]], %[[S]] : i32
// CHECK: %[[MID:.*]] = arith.addi %[[LB]], %[[LENGTH]] : i32
// CHECK: %[[S2:.*]] = arith.muli %[[S]], %{{.*}} : i32
// CHECK: %[[S3:.*]] = arith.muli %[[S]], %{{.*}} : i32
// CHECK: %[[S4:.*]] = arith.muli %[[S]], %{{.*}} : i32
// CHECK: scf.for %[[I:.*]] = %[[LB]] to %[[MID]] step %[[S4]] : i32 {
// CHECK-NEXT: tt.addptr %[[P]], %[[I]]
// CHECK-NEXT: tt.store %{{.*}}, %[[I]]
// CHECK-NEXT: %[[I1:.*]] = arith.addi %[[I]], %[[S]] : i32
// CHECK-NEXT: tt.addptr %[[P]], %[[I1]]
// CHECK-NEXT: tt.store %{{.*}}, %[[I1]]
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I]], %[[S2]] : i32
// CHECK-NEXT: tt.addptr %[[P]], %[[I2]]
// CHECK-NEXT: tt.store %{{.*}}, %[[I2]]
// CHECK-NEXT: %[[I3:.*]] = arith.addi %[[I]], %[[S3]] : i32
// CHECK-NEXT: tt.addptr %[[P]], %[[I3]]
// CHECK-NEXT: tt.store %{{.*}}, %[[I3]]
// CHECK-NEXT: } {tt.num_stages = 3 : i32}
// What is left over is not pipelined.
// CHECK-NEXT: scf.for %[[J:.*]] = %[[MID]] to %[[UB]] step %[[S]] : i32 {
// CHECK-NEXT: tt.addptr %[[P]], %[[J]]
// CHECK-NEXT: tt.store %{{.*}}, %[[J]]
// CHECK-NEXT: } {tt.num_stages = 1 : i32}
// CHECK-NEXT: tt.return
tt.func public @dynamic(%lb: i32, %ub: i32, %s: i32, %p: !tt.ptr<i32>) {
  scf.for %i = %lb to %ub step %s : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 3 : i32}
  tt.return
}

// Ten iterations by four: two groups and two more, each with what the one before carried on.
// CHECK-LABEL: tt.func public @carried
// CHECK: %[[MID:.*]] = arith.constant 16 : i64
// CHECK: %[[S4:.*]] = arith.constant 8 : i64
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[MID]] step %[[S4]] iter_args(%[[A:.*]] = %arg0) -> (i64) : i64 {
// CHECK-NEXT: %[[A0:.*]] = arith.muli %[[A]], %[[I]]
// CHECK-NEXT: %[[I1:.*]] = arith.addi %[[I]], %
// CHECK-NEXT: %[[A1:.*]] = arith.muli %[[A0]], %[[I1]]
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I]], %
// CHECK-NEXT: %[[A2:.*]] = arith.muli %[[A1]], %[[I2]]
// CHECK-NEXT: %[[I3:.*]] = arith.addi %[[I]], %
// CHECK-NEXT: %[[A3:.*]] = arith.muli %[[A2]], %[[I3]]
// CHECK-NEXT: scf.yield %[[A3]] : i64
// CHECK: %[[E:.*]] = scf.for %{{.*}} = %[[MID]] to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[R]]) -> (i64) : i64 {
// CHECK: } {tt.num_stages = 1 : i32}
// CHECK-NEXT: tt.return %[[E]] : i64
tt.func public @carried(%a: i64) -> i64 {
  %lb = arith.constant 0 : i64
  %ub = arith.constant 20 : i64
  %s = arith.constant 2 : i64
  %r = scf.for %i = %lb to %ub step %s iter_args(%x = %a) -> (i64) : i64 {
    %y = arith.muli %x, %i : i64
    scf.yield %y : i64
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return %r : i64
}

// Eight by four leaves nothing over.
// CHECK-LABEL: tt.func public @even
// CHECK: scf.for
// CHECK-COUNT-4: tt.store
// CHECK-NOT: scf.for
// CHECK: tt.return
tt.func public @even(%p: !tt.ptr<i32>) {
  %lb = arith.constant 0 : i32
  %ub = arith.constant 8 : i32
  %s = arith.constant 1 : i32
  scf.for %i = %lb to %ub step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// What runs once is no loop: five by four is four, then one. A loop shorter than its factor
// is unrolled whole, and one that does not run is not there.
// CHECK-LABEL: tt.func public @short
// CHECK-NOT: scf.for
// CHECK-COUNT-5: tt.store %arg0,
// CHECK-NOT: scf.for
// CHECK-COUNT-3: tt.store %arg1,
// CHECK-NEXT: tt.return
tt.func public @short(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %r: !tt.ptr<i32>) {
  %lb = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %s = arith.constant 1 : i32
  scf.for %i = %lb to %c5 step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  scf.for %i = %lb to %c3 step %s : i32 {
    tt.store %q, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  scf.for %i = %c5 to %c3 step %s : i32 {
    tt.store %r, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// Inner loops come first; unsigned loops compare as such.
// CHECK-LABEL: tt.func public @nested
// CHECK: scf.for
// CHECK-COUNT-3: tt.store %arg0,
// CHECK-COUNT-3: tt.store %arg0,
// CHECK: arith.cmpi ult
// CHECK: scf.for unsigned
// CHECK: scf.for unsigned
tt.func public @nested(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c3 step %c1 : i32 {
      tt.store %p, %j : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 3 : i32}
  } {tt.loop_unroll_factor = 2 : i32}
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// LOC-LABEL: tt.func public @located
// LOC: arith.divui {{.*}} loc("k.py":4:1)
// LOC: scf.for
// LOC-NEXT: tt.store {{.*}} loc("k.py":5:2)
// LOC-NEXT: arith.addi {{.*}} loc("k.py":4:1)
// LOC-NEXT: tt.store {{.*}} loc("k.py":5:2)
// LOC-NEXT: } loc("k.py":4:1)
// LOC-NEXT: scf.for
// LOC-NEXT: tt.store {{.*}} loc("k.py":5:2)
// LOC-NEXT: } {{.*}}loc("k.py":4:1)
tt.func public @located(%p: !tt.ptr<i32>, %m: i32, %n: i32, %s: i32) {
  scf.for %i = %m to %n step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32> loc("k.py":5:2)
  } {tt.loop_unroll_factor = 2 : i32} loc("k.py":4:1)
  tt.return
}

// Declines: no wish, a factor that changes nothing, a step that would not fit.
// CHECK-LABEL: tt.func public @declines
// CHECK-COUNT-1: tt.store %arg0,
// CHECK: {tt.num_stages = 2 : i32}
// CHECK-COUNT-1: tt.store %arg0,
// CHECK: {tt.loop_unroll_factor = 1 : i32}
// CHECK-COUNT-1: tt.store %arg0,
// CHECK: {tt.loop_unroll_factor = -3 : i32}
// CHECK-COUNT-1: tt.store %arg0,
// CHECK: {tt.loop_unroll_factor = 4 : i32}
// CHECK: {tt.loop_unroll_factor = 5 : i32}
// CHECK-NEXT: tt.return
tt.func public @declines(%p: !tt.ptr<i32>, %n: i32, %s: i32, %wide: i128) {
  %c0 = arith.constant 0 : i32
  %huge = arith.constant 1000000000 : i32
  scf.for %i = %c0 to %n step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.num_stages = 2 : i32}
  scf.for %i = %c0 to %n step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 1 : i32}
  scf.for %i = %c0 to %n step %s : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = -3 : i32}
  scf.for %i = %c0 to %n step %huge : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 4 : i32}
  scf.for %i = %wide to %wide step %wide : i128 {
    tt.store %p, %n : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 5 : i32}
  tt.return
}
