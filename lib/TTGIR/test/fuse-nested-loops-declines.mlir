// Nests that ttg-fuse-nested-loops leaves as they are, and why.
// RUN: tessera-opt %s --ttg-fuse-nested-loops --remark-format=emitRemark --remarks-filter-missed=ttg-fuse-nested-loops 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tessera-opt %s --ttg-fuse-nested-loops | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!p = tensor<128x!tt.ptr<f32>, #b>
!i = tensor<128xi32, #b>
!t = tensor<128xf32, #b>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// Two inner loops.
// REMARK: it does not have exactly one loop inside, without loops of its own
// CHECK-LABEL: @two_loops
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @two_loops(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
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
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%bcc = %r) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %bcc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %s : !p
  } {tt.flatten}
  tt.return
}

// A buffer that the inner loop reads.
// REMARK: the inner loop reads a buffer that is filled before it
// CHECK-LABEL: @buffer
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @buffer(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %first = tt.load %as : !p
    %kept = ttg.local_alloc %first : (!t) -> !ttg.memdesc<128xf32, #line, #smem>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = tt.load %as : !p
      %y = ttg.local_load %kept : !ttg.memdesc<128xf32, #line, #smem> -> !t
      %product = arith.mulf %x, %y : !t
      %sum = arith.addf %acc, %product : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  } {tt.flatten}
  tt.return
}

// A while loop in the epilogue.
// REMARK: it does not have exactly one loop inside, without loops of its own
// CHECK-LABEL: @while_loop
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @while_loop(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
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
    %w = scf.while (%q = %r) : (!t) -> !t {
      %go = arith.cmpi slt, %i, %n : i32
      scf.condition(%go) %q : !t
    } do {
    ^bb0(%q: !t):
      scf.yield %q : !t
    }
    tt.store %outs, %w : !p
  } {tt.flatten}
  tt.return
}

// The inner loop may not run.
// REMARK: it does not have exactly one loop inside, without loops of its own
// CHECK-LABEL: @in_a_branch
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @in_a_branch(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.if %c {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
      tt.store %outs, %r : !p
    }
  } {tt.flatten}
  tt.return
}

// Nothing to fuse with.
// REMARK: it does not have exactly one loop inside, without loops of its own
// CHECK-LABEL: @no_loop
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @no_loop(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    tt.store %outs, %zero : !p
  } {tt.flatten}
  tt.return
}

// The pipeliner knows signed bounds only.
// REMARK: its bounds are unsigned
// CHECK-LABEL: @unsigned_bounds
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @unsigned_bounds(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %r = scf.for unsigned %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  } {tt.flatten}
  tt.return
}

// As many iterations as the outer index says.
// REMARK: the inner loop's bounds depend on the outer iteration
// CHECK-LABEL: @bounds_differ
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @bounds_differ(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %r = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  } {tt.flatten}
  tt.return
}

// Nothing is to run ahead.
// REMARK: it is not pipelined
// CHECK-LABEL: @one_stage
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @one_stage(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
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
  } {tt.flatten, tt.num_stages = 1 : i32}
  tt.return
}

// Nothing could run ahead.
// REMARK: the inner loop loads nothing
// CHECK-LABEL: @no_loads
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @no_loads(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = arith.addf %acc, %acc : !t
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  } {tt.flatten}
  tt.return
}

// A store before the inner loop would have to run ahead.
// REMARK: an op before the inner loop cannot run ahead
// CHECK-LABEL: @writes_before
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @writes_before(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    tt.store %outs, %zero : !p
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  } {tt.flatten}
  tt.return
}

// The next iteration begins with what this one has stored.
// REMARK: the nest may overwrite what is loaded before the inner loop
// CHECK-LABEL: @loads_what_is_written
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @loads_what_is_written(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  scf.for %i = %c0 to %m step %c1 : i32 {
    %begin = tt.load %outs : !p
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %begin) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    tt.store %outs, %r : !p
  } {tt.flatten}
  tt.return
}

// The inner loop reads what the epilogue writes.
// REMARK: the nest may overwrite what the inner loop loads
// CHECK-LABEL: @overwrites
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @overwrites(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
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
    tt.store %as, %r : !p
  } {tt.flatten}
  tt.return
}

// The inner sum goes on where the last one ended.
// REMARK: an iteration begins with what the one before has computed
// CHECK-LABEL: @goes_on
// CHECK-NOT: i64
// CHECK: tt.flatten
tt.func @goes_on(%a: !tt.ptr<f32>, %out: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !t
  %as = tt.splat %a : !tt.ptr<f32> -> !p
  %outs = tt.splat %out : !tt.ptr<f32> -> !p
  %all = scf.for %i = %c0 to %m step %c1 iter_args(%total = %zero) -> (!t) : i32 {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %total) -> (!t) : i32 {
      %x = tt.load %as : !p
      %sum = arith.addf %acc, %x : !t
      scf.yield %sum : !t
    }
    scf.yield %r : !t
  } {tt.flatten}
  tt.store %outs, %all : !p
  tt.return
}
}
