// RUN: tessera-opt %s --amd-replace-triton-ops --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not tessera-opt %s --amd-replace-triton-ops --split-input-file --remark-format=emitRemark --remarks-filter=amd-replace-triton-ops 2>&1 | FileCheck %s --check-prefix=REMARK

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @atomics
// CHECK: %[[BASES:.*]] = tt.splat %arg0
// CHECK: %[[POINTERS:.*]] = tt.addptr %[[BASES]], %arg1
// CHECK: tt.atomic_rmw add, acq_rel, gpu, %[[POINTERS]], %arg2, %arg3
// CHECK: tt.atomic_cas release, sys, %{{.*}}, %arg2, %{{.*}} :
// CHECK-NOT: amdg.buffer_atomic
tt.func public @atomics(%x: !tt.ptr<i32>, %o: tensor<256xi32, #b>, %v: tensor<256xi32, #b>, %m: tensor<256xi1, #b>) {
  %0 = amdg.buffer_atomic_rmw add, acq_rel, gpu, %v, %x[%o], %m : tensor<256xi32, #b>
  %1 = amdg.buffer_atomic_cas release, sys, %v, %0, %x[%o] : tensor<256xi32, #b>
  amdg.buffer_store %1, %x[%o] : tensor<256xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @copies
// CHECK: %[[A:.*]] = amdg.buffer_load %arg0[%arg1], %arg2, %arg3 cacheModifier = cg : tensor<64x64xf16, #blocked>
// CHECK: ttg.local_store %[[A]]
// CHECK: %[[TOKEN:.*]] = ttg.async_commit_group
// CHECK: ttg.async_commit_group tokens %[[TOKEN]]
// CHECK: %[[B:.*]] = tt.load %arg4, %arg2
// CHECK: ttg.local_store %[[B]]
// CHECK-NOT: global_to_local
tt.func public @copies(%x: !tt.ptr<f16>, %o: tensor<64x64xi32, #b>, %m: tensor<64x64xi1, #b>, %z: tensor<64x64xf16, #b>, %p: tensor<64x64x!tt.ptr<f16>, #b>) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %0 = amdg.buffer_load_to_local %x[%o] mask = %m other = %z cacheModifier = cg into %b {contiguity = 8 : i32} : <f16>[tensor<64x64xi32, #b>] tensor<64x64xf16, #b> -> <64x64xf16, #s, #smem, mutable>
  %1 = ttg.async_commit_group tokens %0
  %2 = ttg.async_copy_global_to_local %p, %b mask %m : tensor<64x64x!tt.ptr<f16>, #b> -> <64x64xf16, #s, #smem, mutable>
  %3 = ttg.async_wait %1, %2 {num = 0 : i32}
  tt.return
}
}

// -----

// The warps run alike. The barriers that all of them reach stay.
// REMARK: [Passed] warp-schedule {{.*}}Reason="barriers are planned for warps that have reached the same place", Remark="all warps run alike"
// CHECK-LABEL: @schedule
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.return
tt.func public @schedule() {
  %c32 = arith.constant 32 : i32
  %t = rocdl.workitem.id.x : i32
  %c = arith.cmpi slt, %t, %c32 : i32
  gpu.barrier
  amdg.cond_barrier %c
  rocdl.s.setprio 1
  rocdl.sched.barrier 0
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.s.barrier
  amdg.memory_counter_wait ds(0)
  tt.return
}

// -----

// The pass declines: a kernel that asks for its thread's number in another place.
tt.func public @thread(%x: !tt.ptr<i32>) {
  // expected-error @+1 {{unsupported: 'rocdl.workitem.id.x' that is not the condition of an 'amdg.cond_barrier'; compile the kernel from its TTIR or its source}}
  %t = rocdl.workitem.id.x : i32
  tt.store %x, %t : !tt.ptr<i32>
  tt.return
}
