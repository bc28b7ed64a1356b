// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// The text of Triton 3.6.0.

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [2, 8], threadsPerWarp = [16, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#t = #ttg.linear<{register = [[1, 0], [0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @buffers
// CHECK: amdg.buffer_load %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_load %arg0[%{{.*}}], %{{.*}} : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_load %arg0[%{{.*}}], %{{.*}}, %{{.*}} cacheModifier = cg stride = %arg1 : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}], %{{.*}} cacheModifier = cs stride = %arg1 : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_atomic_rmw fadd, relaxed, sys, %{{.*}}, %arg0[%{{.*}}], %{{.*}} stride = %arg1 : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_atomic_cas relaxed, cta, %{{.*}}, %{{.*}}, %arg0[%{{.*}}] stride = %arg1 : tensor<256xf32, #blocked>
tt.func public @buffers(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %s: i32, %m: i1) {
  %o = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %k = tt.splat %m : i1 -> tensor<256xi1, #b>
  %0 = amdg.buffer_load %x[%o] : tensor<256xf32, #b>
  %1 = amdg.buffer_load %x[%o], %k : tensor<256xf32, #b>
  %2 = amdg.buffer_load %x[%o], %k, %1 cacheModifier = cg stride = %s : tensor<256xf32, #b>
  amdg.buffer_store %0, %x[%o] : tensor<256xf32, #b>
  amdg.buffer_store %2, %x[%o], %k cacheModifier = cs stride = %s : tensor<256xf32, #b>
  %3 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %0, %x[%o] : tensor<256xf32, #b>
  %4 = amdg.buffer_atomic_rmw fadd, relaxed, sys, %0, %x[%o], %k stride = %s : tensor<256xf32, #b>
  %5 = amdg.buffer_atomic_cas acq_rel, gpu, %0, %1, %x[%o] : tensor<256xf32, #b>
  %6 = amdg.buffer_atomic_cas relaxed, cta, %0, %1, %x[%o] stride = %s : tensor<256xf32, #b>
  tt.return
}

// CHECK-LABEL: @rearrange
// CHECK: amdg.in_thread_transpose %{{.*}} : tensor<32x32xf16, #blocked1> -> tensor<32x32xf16, #linear>
// CHECK: amdg.extract_slice %{{.*}} [32, 0] : tensor<64x32xf16, #blocked1> to tensor<32x32xf16, #blocked1>
tt.func public @rearrange(%v: tensor<32x32xf16, #b2>, %w: tensor<64x32xf16, #b2>) {
  %0 = amdg.in_thread_transpose %v : tensor<32x32xf16, #b2> -> tensor<32x32xf16, #t>
  %1 = amdg.extract_slice %w [32, 0] : tensor<64x32xf16, #b2> to tensor<32x32xf16, #b2>
  tt.return
}

// CHECK-LABEL: @schedule
// CHECK: rocdl.workitem.id.x : i32
// CHECK: amdg.cond_barrier %{{.*}}
// CHECK: rocdl.s.setprio 1
// CHECK: rocdl.sched.barrier 0
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.s.barrier
// CHECK: amdg.memory_counter_wait ds(0)
// CHECK: amdg.memory_counter_wait load(3) store(1)
tt.func public @schedule() {
  %c32 = arith.constant 32 : i32
  %t = rocdl.workitem.id.x : i32
  %c = arith.cmpi slt, %t, %c32 : i32
  amdg.cond_barrier %c
  rocdl.s.setprio 1
  rocdl.sched.barrier 0
  rocdl.sched.group.barrier 8, 1, 0
  rocdl.s.barrier
  amdg.memory_counter_wait ds(0)
  amdg.memory_counter_wait load(3) store(1)
  tt.return
}

// CHECK-LABEL: @copies
// CHECK: amdg.buffer_load_to_local %arg0[%{{.*}}] into %{{.*}} : <f16>[tensor<64x64xi32, #blocked1>]  -> <64x64xf16, #shared, #smem, mutable>
// CHECK: amdg.buffer_load_to_local %arg0[%{{.*}}] mask = %{{.*}} other = %{{.*}} stride = %arg4 cacheModifier = cg into %{{.*}} {contiguity = 8 : i32} : <f16>[tensor<64x64xi32, #blocked1>] tensor<64x64xf16, #blocked1> -> <64x64xf16, #shared, #smem, mutable>
tt.func public @copies(%x: !tt.ptr<f16>, %o: tensor<64x64xi32, #b2>, %m: tensor<64x64xi1, #b2>, %z: tensor<64x64xf16, #b2>, %s: i32) {
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %0 = amdg.buffer_load_to_local %x[%o] into %b : <f16>[tensor<64x64xi32, #b2>]  -> <64x64xf16, #s, #smem, mutable>
  %1 = amdg.buffer_load_to_local %x[%o] mask = %m other = %z stride = %s cacheModifier = cg into %b {contiguity = 8 : i32} : <f16>[tensor<64x64xi32, #b2>] tensor<64x64xf16, #b2> -> <64x64xf16, #s, #smem, mutable>
  tt.return
}
}
