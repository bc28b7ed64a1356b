// RUN: not tessera-opt %s --ttg-allocate-shared-memory="max-bytes=100000 chip=sm_86" 2>&1 | FileCheck %s

// Only what is in use at the busiest point is named, the largest first.

// CHECK: error: unsupported: kernel 'k' needs 114688 bytes of shared memory, sm_86 has 100000; use smaller blocks or fewer num_stages
// CHECK: note: 98304 bytes for 3 stages of 128x64xf32
// CHECK: note: 16384 bytes for 64x64xf32
// CHECK-NOT: note: {{[0-9]+}} bytes

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
!bufs = !ttg.memdesc<3x128x64xf32, #shared, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @k(%x: tensor<64x64xf32, #rows>) {
  %early = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %y = ttg.local_load %early : !buf -> tensor<64x64xf32, #rows>
  %a = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %b = ttg.local_alloc : () -> !bufs
  ttg.local_dealloc %b : !bufs
  %z = ttg.local_load %a : !buf -> tensor<64x64xf32, #rows>
  tt.return
}
}
