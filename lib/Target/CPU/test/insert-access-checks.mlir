// RUN: tessera-opt --cpu-insert-access-checks %s | FileCheck %s
// RUN: tessera-opt --cpu-insert-access-checks --cpu-carry-offsets --cpu-convert-ttir-to-llir %s | FileCheck %s --check-prefix=LLVM

// The sanitizer is the last argument; a mask becomes what is safe of it, and the operands of
// arithmetic that might have wrapped are told when something is wrong.
// Flags: 1 reads, 2 writes, 4 atomic, 8 meets writes, 16 meets reads, 32 ordered by an atomic.

// CHECK-LABEL: tt.func public @copy
// CHECK-SAME: (%[[X:.*]]: !tt.ptr<f32>, %[[O:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32, %[[S:.*]]: !tt.ptr<i8>)
// CHECK: %[[PID:.*]] = tt.get_program_id x
// CHECK: %[[START:.*]] = arith.muli %[[PID]]
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: %[[SAFE:.*]], %[[SUSPECT:.*]] = ttc.check_access "load" %[[S]], %[[P:.*]], %[[MASK]] {argument = 0 : i32, flags = 17 : i32}
// CHECK: %[[WRONG:.*]] = arith.cmpi sge, %[[SUSPECT]], %c0_i64
// CHECK: scf.if %[[WRONG]] {
// CHECK: %[[LEFT:.*]] = arith.extsi %[[PID]] : i32 to i64
// CHECK: ttc.explain_wrap %[[SUSPECT]], %[[LEFT]], %{{.*}} {bits = 32 : i32, kind = 2 : i32}
// CHECK: %[[AT:.*]] = arith.remui %[[SUSPECT]]
// CHECK: ttc.extract %{{.*}}[%[[AT]]] : tensor<16xi32>
// CHECK: ttc.explain_wrap %[[SUSPECT]], %{{.*}}, %{{.*}} {bits = 32 : i32, kind = 0 : i32}
// CHECK: tt.load %[[P]], %[[SAFE]]
// CHECK: %[[SAFE2:.*]], %{{.*}} = ttc.check_access "store" %[[S]], %[[Q:.*]] {argument = 1 : i32, flags = 10 : i32}
// CHECK: tt.store %[[Q]], %{{.*}}, %[[SAFE2]]

// LLVM: llvm.mlir.global private constant @{{.*}}("{{.*}}store{{.*}}") {addr_space = 0 : i32, alignment = 8 : i64}
// LLVM-LABEL: llvm.func @copy
// LLVM: llvm.call @tessera_sanitizer_check({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i64
// LLVM: llvm.call @tessera_sanitizer_explain({{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64) -> ()
tt.func public @copy(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c16 = arith.constant 16 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c16 : i32
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %starts = tt.splat %start : i32 -> tensor<16xi32>
  %at = arith.addi %starts, %r : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %at, %ns : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %p, %m : tensor<16x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %os, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %q, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Through a loop the pointer is still the argument's; what it starts from is explained.
// CHECK-LABEL: tt.func public @loop
// CHECK: scf.for
// CHECK: ttc.check_access "load" %{{.*}}, %{{.*}} {argument = 0 : i32, flags = 17 : i32}
// CHECK: ttc.explain_wrap {{.*}} {bits = 32 : i32, kind = 2 : i32}
tt.func public @loop(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %n : i32
  %first = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first, %sum = %zero) -> (!tt.ptr<f32>, f32) : i32 {
    %v = tt.load %p : !tt.ptr<f32>
    %s = arith.addf %sum, %v : f32
    %q = tt.addptr %p, %c1 : !tt.ptr<f32>, i32
    scf.yield %q, %s : !tt.ptr<f32>, f32
  }
  tt.store %o, %r#1 : !tt.ptr<f32>
  tt.return
}

// One of two arguments: which is not known. Both may be written, so that programs may meet in both.
// CHECK-LABEL: tt.func public @either
// CHECK: ttc.check_access "load" %{{.*}}, %{{.*}} {argument = 0 : i32, flags = 25 : i32}
// CHECK: ttc.check_access "store" %{{.*}}, %{{.*}} {argument = -1 : i32, flags = 26 : i32}
tt.func public @either(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %c: i1) {
  %v = tt.load %x : !tt.ptr<f32>
  %p = arith.select %c, %x, %y : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// Branches of either kind that agree; and a pointer made of a number, which may point anywhere (64).
// CHECK-LABEL: tt.func public @branches
// CHECK: ttc.check_access "load" %{{.*}}, %{{.*}} {argument = 0 : i32, flags = 17 : i32}
// CHECK: ttc.check_access "load" %{{.*}}, %{{.*}} {argument = -1 : i32, flags = 89 : i32}
// CHECK: ttc.check_access "store" %{{.*}}, %{{.*}} {argument = 1 : i32, flags = 26 : i32}
tt.func public @branches(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %c: i1, %number: i64) {
  %c1 = arith.constant 1 : i32
  %p = scf.if %c -> !tt.ptr<f32> {
    %next = tt.addptr %x, %c1 : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  } else {
    scf.yield %x : !tt.ptr<f32>
  }
  %v = tt.load %p : !tt.ptr<f32>
  %made = tt.int_to_ptr %number : i64 -> !tt.ptr<f32>
  %w = tt.load %made : !tt.ptr<f32>
  %sum = arith.addf %v, %w : f32
  cf.cond_br %c, ^store(%o : !tt.ptr<f32>), ^other
^other:
  %q = tt.addptr %o, %c1 : !tt.ptr<f32>, i32
  cf.br ^store(%q : !tt.ptr<f32>)
^store(%to: !tt.ptr<f32>):
  tt.store %to, %sum : !tt.ptr<f32>
  tt.return
}

// Atomics: what follows them may be in order. A compare-and-swap has no mask and is led elsewhere;
// an exchange reads nothing. A mask of true is none.
// CHECK-LABEL: tt.func public @atomics
// CHECK-SAME: %[[S:[^ ]*]]: !tt.ptr<i8>)
// CHECK: ttc.check_access "load" %[[S]], %[[X:.*]] {argument = 0 : i32, flags = 25 : i32}
// CHECK: %[[SAFE:.*]], %{{.*}} = ttc.check_access "atomic compare-and-swap" %[[S]], %[[L:.*]] {argument = 1 : i32, flags = 7 : i32}
// CHECK: %[[SINK:.*]] = tt.bitcast %[[S]] : !tt.ptr<i8> -> !tt.ptr<i32>
// CHECK: %[[P:.*]] = arith.select %[[SAFE]], %[[L]], %[[SINK]]
// CHECK: %[[OLD:.*]] = tt.atomic_cas acq_rel, gpu, %[[P]]
// CHECK: arith.select %[[SAFE]], %[[OLD]], %c0_i32
// CHECK: ttc.check_access "store" %[[S]], %[[X]] {argument = 0 : i32, flags = 58 : i32}
// CHECK: ttc.check_access "atomic exchange" %[[S]], %[[L]] {argument = 1 : i32, flags = 38 : i32}
tt.func public @atomics(%x: !tt.ptr<f32>, %l: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %v = tt.load %x : !tt.ptr<f32>
  %old = tt.atomic_cas acq_rel, gpu, %l, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
  %f = arith.sitofp %old : i32 to f32
  tt.store %x, %f : !tt.ptr<f32>
  %e = tt.atomic_rmw exch, acq_rel, gpu, %l, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// Nothing to check; and arithmetic of 64 bits needs no explanation.
// CHECK-LABEL: tt.func public @nothing
// CHECK-SAME: (%{{.*}}: !tt.ptr<i8>)
// CHECK-NEXT: tt.return
tt.func public @nothing() {
  tt.return
}

// CHECK-LABEL: tt.func public @wide
// CHECK: ttc.check_access "store"
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func public @wide(%o: !tt.ptr<f32>, %a: i64, %b: i64, %v: f32) {
  %i = arith.muli %a, %b : i64
  %p = tt.addptr %o, %i : !tt.ptr<f32>, i64
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}
