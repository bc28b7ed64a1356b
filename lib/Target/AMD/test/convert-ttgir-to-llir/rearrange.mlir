// RUN: tessera-opt %s --amd-convert-ttgir-to-llir | FileCheck %s

#p = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [16, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#t = #ttg.linear<{register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// Rearrangements are other names for registers: a 2x2 patch by columns, and the second half of a tensor.

// CHECK-LABEL: @rearrange
// CHECK: %[[V:.*]] = llvm.mlir.constant(3 : i32) : i32
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"(%{{.*}}) : (i32, !llvm.ptr<8>, i32, i32, i32)
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"(%{{.*}}) : (i32, !llvm.ptr<8>, i32, i32, i32)
// CHECK-NOT: buffer.store
tt.func public @rearrange(%x: !tt.ptr<i32>) {
  %v = arith.constant dense<3> : tensor<64x8xi32, #p>
  %o = arith.constant dense<0> : tensor<32x8xi32, #p>
  %u = arith.constant dense<0> : tensor<32x8xi32, #t>
  %0 = amdg.extract_slice %v [32, 0] : tensor<64x8xi32, #p> to tensor<32x8xi32, #p>
  %1 = amdg.in_thread_transpose %0 : tensor<32x8xi32, #p> -> tensor<32x8xi32, #t>
  amdg.buffer_store %0, %x[%o] : tensor<32x8xi32, #p>
  amdg.buffer_store %1, %x[%u] : tensor<32x8xi32, #t>
  tt.return
}
}
