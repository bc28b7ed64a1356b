// RUN: tessera-opt %s --ttg-allocate-shared-memory --ttg-insert-barriers --nvidia-fence-async | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!sum = tensor<64x64xf32, #mma>
!desc = !tt.tensordesc<tensor<64x64xf16, #tile>>
!buffer = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
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

// A tensor copy fills what threads have read: the barrier of the block, and a fence in front of it. Threads read what they
// waited for without one. The barrier in shared memory needs one after it is made.

// CHECK-LABEL: tt.func @filled
// CHECK: ttng.init_barrier
// CHECK: ttg.local_barrier
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: ttng.wait_barrier
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: ttng.barrier_expect
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NEXT: ttng.wait_barrier
// CHECK-NEXT: ttg.local_load
tt.func @filled(%d: !desc, %i: i32, %p: i1) -> (tensor<64x64xf16, #b>, tensor<64x64xf16, #b>) {
  %one = arith.constant 1 : i32
  %m = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 1 : !barrier
  ttng.barrier_expect %bar, 8192, %p : !barrier
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %bar, %p : !desc, !barrier -> !buffer
  ttng.wait_barrier %bar, %i : !barrier
  %x = ttg.local_load %m : !buffer -> tensor<64x64xf16, #b>
  ttng.barrier_expect %bar, 8192, %p : !barrier
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %bar, %p : !desc, !barrier -> !buffer
  ttng.wait_barrier %bar, %one : !barrier
  %y = ttg.local_load %m : !buffer -> tensor<64x64xf16, #b>
  tt.return %x, %y : tensor<64x64xf16, #b>, tensor<64x64xf16, #b>
}

// A tensor copy reads what threads have written, until the wait; the next write is after a barrier.

// CHECK-LABEL: tt.func @drained
// CHECK: ttg.local_store
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.async_tma_copy_local_to_global
// CHECK-NEXT: ttng.async_tma_store_wait
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttg.local_store
tt.func @drained(%d: !desc, %i: i32, %x: tensor<64x64xf16, #b>) {
  %m = ttg.local_alloc : () -> !buffer
  ttg.local_store %x, %m : tensor<64x64xf16, #b> -> !buffer
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !desc, !buffer
  ttng.async_tma_store_wait {pendings = 0 : i32}
  ttg.local_store %x, %m : tensor<64x64xf16, #b> -> !buffer
  tt.return
}

// One thread arrives for all: they are done, and their reads come before what an engine writes.

// CHECK-LABEL: tt.func @arrival
// CHECK: ttg.local_load
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttng.arrive_barrier
// CHECK-NEXT: ttng.arrive_barrier
tt.func @arrival(%d: !desc, %i: i32, %p: i1) -> tensor<64x64xf16, #b> {
  %m = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  %empty = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 1 : !barrier
  ttng.init_barrier %empty, 2 : !barrier
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %bar, %p : !desc, !barrier -> !buffer
  ttng.wait_barrier %bar, %i : !barrier
  %x = ttg.local_load %m : !buffer -> tensor<64x64xf16, #b>
  ttng.arrive_barrier %empty, 1 : !barrier
  ttng.arrive_barrier %empty, 1, %p : !barrier
  tt.return %x : tensor<64x64xf16, #b>
}

// Copies that arrive at a barrier in shared memory are awaited there: the fence is behind it.

// CHECK-LABEL: tt.func @arriving
// CHECK: ttng.async_copy_mbarrier_arrive
// CHECK-NEXT: ttng.wait_barrier
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.warp_group_dot
tt.func @arriving(%p: tensor<64x64x!tt.ptr<f16>, #b>, %c: !sum, %i: i32) -> !sum {
  %m = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 128 : !barrier
  %t = ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f16>, #b> -> <64x64xf16, #tile, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %bar {noIncrement} : !barrier
  ttng.wait_barrier %bar, %i deps %m : !barrier, !buffer
  %d = ttng.warp_group_dot %m, %m, %c : !buffer * !buffer -> !sum
  tt.return %d : !sum
}

// A barrier keeps its bytes, and so does a buffer that a copy reads: what is allocated later lies elsewhere.

// CHECK-LABEL: tt.func @apart
// CHECK: ttg.local_alloc {allocation.offset = [[TILE:[0-9]+]] : i32}
// CHECK: ttg.local_alloc {allocation.offset = [[BARRIER:[0-9]+]] : i32}
// CHECK-NOT: allocation.offset = [[TILE]] : i32
// CHECK-NOT: allocation.offset = [[BARRIER]] : i32
// CHECK: tt.return
tt.func @apart(%d: !desc, %i: i32, %x: tensor<64x64xf16, #b>) -> tensor<64x64xf16, #b> {
  %m = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 1 : !barrier
  ttg.local_store %x, %m : tensor<64x64xf16, #b> -> !buffer
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !desc, !buffer
  %n = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
  %y = ttg.local_load %n : !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf16, #b>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  tt.return %y : tensor<64x64xf16, #b>
}
}
