// RUN: tessera-opt %s --ttg-allocate-shared-memory --ttg-insert-barriers --nvidia-fence-async | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
!sum = tensor<64x64xf32, #mma>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Threads write, wgmma reads: a fence in front of the barrier.

// CHECK-LABEL: tt.func @stored
// CHECK: ttg.local_alloc
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.warp_group_dot
tt.func @stored(%x: tensor<64x64xf16, #b>, %c: !sum) -> !sum {
  %m = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #tile, #smem>
  %d = ttng.warp_group_dot %m, %m, %c : !ttg.memdesc<64x64xf16, #tile, #smem> * !ttg.memdesc<64x64xf16, #tile, #smem> -> !sum
  tt.return %d : !sum
}

// What only threads read needs none.

// CHECK-LABEL: tt.func @threads
// CHECK-NOT: fence_async_shared
// CHECK: tt.return
tt.func @threads(%x: tensor<64x64xf16, #b>) -> tensor<64x64xf16, #b> {
  %m = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
  %y = ttg.local_load %m : !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf16, #b>
  tt.return %y : tensor<64x64xf16, #b>
}

// A copy has arrived where it is awaited: the fence is between that and the barrier.

// CHECK-LABEL: tt.func @copied
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_wait
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.warp_group_dot
tt.func @copied(%p: tensor<64x64x!tt.ptr<f16>, #b>, %c: !sum) -> !sum {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f16>, #b> -> <64x64xf16, #tile, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %w = ttg.async_wait %g {num = 0 : i32}
  %d = ttng.warp_group_dot %m, %m, %c : !ttg.memdesc<64x64xf16, #tile, #smem, mutable> * !ttg.memdesc<64x64xf16, #tile, #smem, mutable> -> !sum
  tt.return %d : !sum
}
}
