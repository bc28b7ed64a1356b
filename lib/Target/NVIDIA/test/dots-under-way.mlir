// A buffer that an asynchronous dot reads keeps its memory until the dot is awaited.
//
// RUN: tessera-opt %s --ttg-allocate-shared-memory --ttg-insert-barriers | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!x = tensor<64x64xf16, #b>
!buffer = !ttg.memdesc<64x64xf16, #tile, #smem>
!sum = tensor<64x64xf32, #mma>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// CHECK-LABEL: tt.func @under_way
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 8192 : i32}
tt.func @under_way(%x: !x, %y: !x, %c: !sum) -> (!sum, !sum) {
  %a = ttg.local_alloc %x : (!x) -> !buffer
  %d = ttng.warp_group_dot %a, %a, %c {isAsync = true} : !buffer * !buffer -> !sum
  %b = ttg.local_alloc %y : (!x) -> !buffer
  %e = ttng.warp_group_dot %b, %b, %c {isAsync = true} : !buffer * !buffer -> !sum
  %w:2 = ttng.warp_group_dot_wait %d, %e {pendings = 0 : i32} : !sum, !sum
  tt.return %w#0, %w#1 : !sum, !sum
}

// A dot is over once it is awaited, or another that is not asynchronous.

// CHECK-LABEL: tt.func @over
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
tt.func @over(%x: !x, %y: !x, %c: !sum) -> (!sum, !sum, !sum) {
  %a = ttg.local_alloc %x : (!x) -> !buffer
  %d = ttng.warp_group_dot %a, %a, %c {isAsync = true} : !buffer * !buffer -> !sum
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !sum
  %b = ttg.local_alloc %y : (!x) -> !buffer
  %e = ttng.warp_group_dot %b, %b, %c : !buffer * !buffer -> !sum
  %k = ttg.local_alloc %y : (!x) -> !buffer
  %f = ttng.warp_group_dot %k, %k, %c : !buffer * !buffer -> !sum
  tt.return %w, %e, %f : !sum, !sum, !sum
}
}
