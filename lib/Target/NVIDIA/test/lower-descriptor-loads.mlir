// RUN: tessera-opt %s --allow-unregistered-dialect --nvidia-lower-descriptor-loads | FileCheck %s

#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<64x64xf16, #wide>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Two buffers of one tile become one, which a copy fills: 64 x 64 elements of two bytes.

// CHECK-LABEL: tt.func public @acts
// CHECK-NOT: tt.descriptor_load
// CHECK: %[[M:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>
// CHECK: ttng.init_barrier
// CHECK: ttng.barrier_expect {{.*}}8192
// CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg1, %arg1] %[[M]]
// CHECK: ttng.wait_barrier
// CHECK: ttng.inval_barrier
// CHECK: "use"(%[[M]])
// CHECK: "use"(%[[M]])
tt.func public @acts(%d: !desc, %i: i32) {
  %x = tt.descriptor_load %d[%i, %i] : !desc -> tensor<64x64xf16, #tile>
  %m = ttg.local_alloc %x : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #wide, #smem>
  %n = ttg.local_alloc %x : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #wide, #smem>
  "use"(%m) : (!ttg.memdesc<64x64xf16, #wide, #smem>) -> ()
  "use"(%n) : (!ttg.memdesc<64x64xf16, #wide, #smem>) -> ()
  tt.return
}

// The threads need the values of a tile that not only a buffer takes.

// CHECK-LABEL: tt.func public @declines
// CHECK: tt.descriptor_load
// CHECK: ttg.local_alloc %
tt.func public @declines(%d: !desc, %i: i32) {
  %x = tt.descriptor_load %d[%i, %i] : !desc -> tensor<64x64xf16, #tile>
  %m = ttg.local_alloc %x : (tensor<64x64xf16, #tile>) -> !ttg.memdesc<64x64xf16, #wide, #smem>
  "use"(%m, %x) : (!ttg.memdesc<64x64xf16, #wide, #smem>, tensor<64x64xf16, #tile>) -> ()
  tt.return
}

}
