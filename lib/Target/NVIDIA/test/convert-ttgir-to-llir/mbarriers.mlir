// RUN: tessera-opt %s --ttg-allocate-shared-memory --ttg-insert-barriers --nvidia-convert-ttgir-to-llir | FileCheck %s

#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
!barriers = !ttg.memdesc<2x1xi64, #one, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// One thread makes a barrier and tells the asynchronous proxy; the others learn of it by a barrier of the block. Uses of it
// are atomic: no barrier of the block is between them.

// CHECK-LABEL: llvm.func @one_thread_arrives
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: "@$1 mbarrier.init.shared::cta.b64 [$0], 3;\0A@$1 fence.mbarrier_init.release.cluster;", "r,b,~{memory}" %{{.*}}, %[[FIRST]]
// CHECK: nvvm.barrier
// CHECK: "@$1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 8192;"
// CHECK-NOT: nvvm.barrier
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0], 2;"
// CHECK-NOT: nvvm.barrier
// CHECK: "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];"
// CHECK: "cp.async.mbarrier.arrive.shared::cta.b64 [$0];"
// Taking it down is a write: all others must be done with it.
// CHECK: nvvm.barrier
// CHECK: "@$1 mbarrier.inval.shared::cta.b64 [$0];"
tt.func public @one_thread_arrives(%p: i1) {
  %b = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %b, 3 : !barrier
  ttng.barrier_expect %b, 8192, %p : !barrier
  ttng.arrive_barrier %b, 2 : !barrier
  ttng.async_copy_mbarrier_arrive %b {noIncrement} : !barrier
  ttng.async_copy_mbarrier_arrive %b : !barrier
  ttng.inval_barrier %b : !barrier
  tt.return
}

// All threads wait, in a loop; with a predicate only where it holds.

// CHECK-LABEL: llvm.func @all_threads_wait
// CHECK: "{\0A.reg .pred done;\0Await_${:uid}:\0Ambarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\0A@!done bra wait_${:uid};\0A}", "r,r,~{memory}"
// CHECK: "{\0A.reg .pred done;\0A@!$2 bra past_${:uid};\0Await_${:uid}:\0Ambarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\0A@!done bra wait_${:uid};\0Apast_${:uid}:\0A}", "r,r,b,~{memory}"
tt.func public @all_threads_wait(%i: i32, %phase: i32, %p: i1) {
  %bs = ttg.local_alloc : () -> !barriers
  %b = ttg.memdesc_index %bs[%i] : !barriers -> !barrier
  ttng.init_barrier %b, 1 : !barrier
  ttng.wait_barrier %b, %phase : !barrier
  ttng.wait_barrier %b, %phase, %p : !barrier
  tt.return
}

// CHECK-LABEL: llvm.func @clusters
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.cluster.wait {aligned}
tt.func public @clusters() {
  ttng.cluster_arrive {relaxed = false}
  ttng.cluster_arrive {relaxed = true}
  ttng.cluster_wait
  tt.return
}
}
