// Programs start from the last one if loops run longer in those with higher numbers, and none waits for another.
//
// RUN: tessera-opt %s --split-input-file --ttg-order-programs | FileCheck %s

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @longer
// CHECK: tt.get_program_id x {ttg.reversed}
// CHECK: tt.get_program_id y :
tt.func public @longer(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %next = arith.addi %x, %c1 : i32
  %rows = arith.muli %next, %c128 : i32
  %end = arith.minsi %rows, %n : i32
  scf.for %i = %c0 to %end step %c1 : i32 {
    %a = tt.addptr %p, %y : !tt.ptr<i32>, i32
    tt.store %a, %i : !tt.ptr<i32>
  }
  tt.return
}

// From its number on: programs with higher numbers run shorter.
// CHECK-LABEL: @shorter
// CHECK-NOT: ttg.reversed
tt.func public @shorter(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %x = tt.get_program_id x : i32
  scf.for %i = %x to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// A remainder has no direction, and neither has one loop each way.
// CHECK-LABEL: @mixed
// CHECK-NOT: ttg.reversed
tt.func public @mixed(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.get_program_id x : i32
  %part = arith.remsi %x, %n : i32
  scf.for %i = %c0 to %part step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %x step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  scf.for %i = %x to %n step %c1 : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  }
  tt.return
}

// A program may wait for one that started before it.
// CHECK-LABEL: @waits
// CHECK-NOT: ttg.reversed
tt.func public @waits(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %x = tt.get_program_id x : i32
  scf.for %i = %c0 to %x step %c1 : i32 {
    %old = tt.atomic_rmw add, acq_rel, gpu, %p, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  }
  tt.return
}

// A function that is not inlined may wait.
// CHECK-LABEL: @calls
// CHECK-NOT: ttg.reversed
tt.func public @calls(%p: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.get_program_id x : i32
  scf.for %i = %c0 to %x step %c1 : i32 {
    tt.call @wait(%p) : (!tt.ptr<i32>) -> ()
  }
  tt.return
}

tt.func private @wait(%p: !tt.ptr<i32>) attributes {noinline = true} {
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %old = tt.atomic_rmw add, acq_rel, gpu, %p, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}
}
