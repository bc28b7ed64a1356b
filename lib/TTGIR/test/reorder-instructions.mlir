// RUN: tessera-opt %s --ttg-reorder-instructions | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #rows}>
#b = #ttg.dot_op<{opIdx = 1, parent = #rows}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
!t = tensor<64x64xf32, #rows>
module attributes {"ttg.num-warps" = 4 : i32} {

// Reads of buffers and conversions to more registers come right before the dot.
// CHECK-LABEL: @operands
//       CHECK: ttg.local_alloc
//  CHECK-NEXT: %[[E:.*]] = math.exp
//  CHECK-NEXT: %[[A:.*]] = ttg.convert_layout
//  CHECK-NEXT: %[[B:.*]] = ttg.local_load
//  CHECK-NEXT: tt.dot %[[A]], %[[B]], %[[E]]
tt.func public @operands(%x: !t, %acc: !t) -> !t {
  %m = ttg.local_alloc %x : (!t) -> !buf
  %a = ttg.convert_layout %x : !t -> tensor<64x64xf32, #a>
  %b = ttg.local_load %m : !buf -> tensor<64x64xf32, #b>
  %e = math.exp %acc : !t
  %d = tt.dot %a, %b, %e : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> !t
  tt.return %d : !t
}

// What is only put into a buffer goes there at once.
// CHECK-LABEL: @store_early
//       CHECK: %[[S:.*]] = arith.addf
//  CHECK-NEXT: ttg.local_alloc %[[S]]
//  CHECK-NEXT: math.exp
tt.func public @store_early(%x: !t) -> !t {
  %s = arith.addf %x, %x : !t
  %e = math.exp %x : !t
  %m = ttg.local_alloc %s : (!t) -> !buf
  %l = ttg.local_load %m : !buf -> !t
  %r = arith.mulf %e, %l : !t
  tt.return %r : !t
}

// Declines: a write to shared memory, a wait or a barrier on the way; a user that is the
// next iteration; a conversion that frees as many registers as it takes.
// CHECK-LABEL: @declines
//       CHECK: ttg.local_load
//  CHECK-NEXT: ttg.local_store
//  CHECK-NEXT: ttg.local_load
//  CHECK-NEXT: ttg.async_wait
//  CHECK-NEXT: ttg.convert_layout
//  CHECK-NEXT: math.exp
//       CHECK: scf.for
//  CHECK-NEXT: ttg.local_load
//  CHECK-NEXT: arith.addf
//  CHECK-NEXT: scf.yield
tt.func public @declines(%x: !t, %m: !buf, %n: i32) -> (!t, tensor<64x64xf32, #cols>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %y = arith.mulf %x, %x : !t
  %a = ttg.local_load %m : !buf -> !t
  ttg.local_store %x, %m : !t -> !buf
  %b = ttg.local_load %m : !buf -> !t
  %w = ttg.async_wait {num = 0 : i32}
  %k = ttg.convert_layout %y : !t -> tensor<64x64xf32, #cols>
  %e = math.exp %x : !t
  %s = arith.addf %a, %b : !t
  %q = arith.addf %s, %e : !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %q) -> !t : i32 {
    %l = ttg.local_load %m : !buf -> !t
    %u = arith.addf %p, %p : !t
    scf.yield %l : !t
  }
  %z = arith.addf %k, %k : tensor<64x64xf32, #cols>
  tt.return %r, %z : !t, tensor<64x64xf32, #cols>
}
}
