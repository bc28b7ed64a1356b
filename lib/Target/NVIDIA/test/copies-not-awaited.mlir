// A buffer that a tensor copy may still be reading is not to be written, by threads or by another copy.
//
// RUN: tessera-opt %s --ttg-allocate-shared-memory --ttg-insert-barriers --split-input-file --verify-diagnostics

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!buffer = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func @stored(%d: !desc, %i: i32, %x: tensor<64x64xf16, #b>) {
  %m = ttg.local_alloc : () -> !buffer
  ttg.local_store %x, %m : tensor<64x64xf16, #b> -> !buffer
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !desc, !buffer
  // expected-error @+1 {{writes shared memory that an asynchronous dot or copy may still be reading}}
  ttg.local_store %x, %m : tensor<64x64xf16, #b> -> !buffer
  tt.return
}
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!buffer = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func @filled(%d: !desc, %i: i32, %p: i1) {
  %m = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !desc, !buffer
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !desc, !buffer
  ttng.async_tma_store_wait {pendings = 1 : i32}
  // expected-error @+1 {{writes shared memory that an asynchronous dot or copy may still be reading}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %bar, %p : !desc, !barrier -> !buffer
  tt.return
}
}
