// What cp.async cannot do.
// RUN: not tessera-opt %s --split-input-file --nvidia-convert-ttgir-to-llir 2>&1 | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80"} {
tt.func public @narrow(%p: tensor<16x64x!tt.ptr<f16>, #b>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
  // CHECK: unsupported: asynchronous copy {{.*}} the threads do not hold enough consecutive bytes
  %t = ttg.async_copy_global_to_local %p, %m : tensor<16x64x!tt.ptr<f16>, #b> -> <16x64xf16, #s, #smem, mutable>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80"} {
tt.func public @other(%p: tensor<16x64x!tt.ptr<f16>, #b>, %k: tensor<16x64xi1, #b>, %o: tensor<16x64xf16, #b>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
  // CHECK: unsupported: asynchronous copy with values other than zero
  %t = ttg.async_copy_global_to_local %p, %m mask %k other %o {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #b> -> <16x64xf16, #s, #smem, mutable>
  tt.return
}
}
