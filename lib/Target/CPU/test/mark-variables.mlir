// RUN: tessera-opt %s --cpu-mark-variables --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// The last op of a statement holds the variable, whatever constants lie between; others do not.
// CHECK-LABEL: tt.func public @statements
tt.func public @statements(%p: !tt.ptr<i32>, %n: i32) {
  // CHECK: tt.get_program_id x : i32 loc("first"("k.py":2:9))
  %0 = tt.get_program_id x : i32 loc("first"("k.py":2:9))
  %c4 = arith.constant 4 : i32 loc("k.py":2:20)
  // CHECK: arith.muli {{.*}} loc("first"(fused<"variable">["k.py":2:9]))
  %1 = arith.muli %0, %c4 : i32 loc("first"("k.py":2:9))
  // CHECK: arith.addi {{.*}} loc("k.py":3:9)
  %2 = arith.addi %1, %n : i32 loc("k.py":3:9)
  // CHECK: arith.constant 7 : i32 loc("seven"("k.py":4:9))
  %c7 = arith.constant 7 : i32 loc("seven"("k.py":4:9))
  // A statement ends where another begins, and where the block does.
  // CHECK: arith.addi {{.*}} loc("a"(fused<"variable">["k.py":5:9]))
  %3 = arith.addi %2, %c7 : i32 loc("a"("k.py":5:9))
  // CHECK: arith.addi {{.*}} loc("b"(fused<"variable">["k.py":6:9]))
  %4 = arith.addi %3, %c7 : i32 loc("b"("k.py":6:9))
  %cond = arith.cmpi slt, %4, %n : i32
  scf.if %cond {
    // CHECK: arith.subi {{.*}} loc("b"(fused<"variable">["k.py":8:13]))
    %5 = arith.subi %4, %c7 : i32 loc("b"("k.py":8:13))
    tt.store %p, %5 : !tt.ptr<i32>
  }
  tt.return
}
