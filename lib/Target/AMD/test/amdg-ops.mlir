// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// The text of Triton 3.6.0.

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [2, 8], threadsPerWarp = [16, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#t = #ttg.linear<{register = [[1, 0], [0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @buffers
// CHECK: amdg.buffer_load %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_load %arg0[%{{.*}}], %{{.*}} : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_load %arg0[%{{.*}}], %{{.*}}, %{{.*}} cacheModifier = cg stride = %arg1 : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}], %{{.*}} cacheModifier = cs stride = %arg1 : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %arg0[%{{.*}}] : tensor<256xf32, #blocked>
// CHECK: amdg.buffer_atomic_rmw fadd, relaxed, sys, %{{.*}}, %arg0[%{{.*}}], %{{.*}} stride = %arg1 : tensor<256xf32, #blocked>
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
}
