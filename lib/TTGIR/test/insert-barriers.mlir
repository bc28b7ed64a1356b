// RUN: tessera-opt %s --ttg-insert-barriers --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-insert-barriers --split-input-file --remark-format=emitRemark --remarks-filter=ttg-insert-barriers 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] barrier {{.*}}Remark="a barrier is inserted before ttg.local_load"
// REMARK: [Analysis] barriers {{.*}}Remark="3 barriers for 5 ops that concern shared memory"
// REMARK: [Analysis] barriers {{.*}}Remark="0 barriers for 6 ops that concern shared memory"

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
!bufs = !ttg.memdesc<3x64x64xf32, #shared, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32} {

// A read after a write, a write after a read, a write after a write.
// CHECK-LABEL: @straight
//       CHECK: %[[M:.*]] = ttg.local_alloc
//  CHECK-NEXT: ttg.local_store
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.local_load
//  CHECK-NEXT: ttg.local_load
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.local_store
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.local_store
//  CHECK-NEXT: tt.return
tt.func public @straight(%x: tensor<64x64xf32, #rows>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buf
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  %y = ttg.local_load %m : !buf -> tensor<64x64xf32, #rows>
  %z = ttg.local_load %m : !buf -> tensor<64x64xf32, #cols>
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  ttg.local_store %y, %m : tensor<64x64xf32, #rows> -> !buf
  tt.return
}

// Declines: other bytes, other slots, a barrier that is there already.
// CHECK-LABEL: @apart
//   CHECK-NOT: ttg.local_barrier
//       CHECK: gpu.barrier
//   CHECK-NOT: ttg.local_barrier
//       CHECK: tt.return
tt.func public @apart(%x: tensor<64x64xf32, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buf
  %n = ttg.local_alloc {allocation.offset = 16384 : i32} : () -> !bufs
  %n0 = ttg.memdesc_index %n[%c0] : !bufs -> !buf
  %n1 = ttg.memdesc_index %n[%c1] : !bufs -> !buf
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  ttg.local_store %x, %n0 : tensor<64x64xf32, #rows> -> !buf
  %a = ttg.local_load %n1 : !buf -> tensor<64x64xf32, #rows>
  gpu.barrier
  %b = ttg.local_load %n0 : !buf -> tensor<64x64xf32, #rows>
  %c = ttg.local_load %m : !buf -> tensor<64x64xf32, #cols>
  tt.return
}

// Buffers that share bytes conflict; views are the buffer they view.
// CHECK-LABEL: @aliases
//       CHECK: ttg.local_store
//       CHECK: ttg.local_barrier
//  CHECK-NEXT: ttg.local_load
//       CHECK: ttg.local_barrier
//  CHECK-NEXT: ttg.local_alloc %{{.*}} {allocation.offset = 8192
tt.func public @aliases(%x: tensor<64x64xf32, #rows>, %c: i1) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buf
  %n = ttg.local_alloc {allocation.offset = 65536 : i32} : () -> !buf
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  %s = arith.select %c, %m, %n : !buf
  %t = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !buf -> !ttg.memdesc<64x64xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>
  %y = ttg.local_load %t : !ttg.memdesc<64x64xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable> -> tensor<64x64xf32, #rows>
  %o = ttg.local_alloc %x {allocation.offset = 8192 : i32} : (tensor<64x64xf32, #rows>) -> !buf
  tt.return
}

// Scratch is written, waited for and read by the op itself. The wait inside orders what
// came before; the reads at its end are still going on afterwards.
// CHECK-LABEL: @scratch
//       CHECK: ttg.local_store
//  CHECK-NEXT: ttg.convert_layout
//  CHECK-NEXT: ttg.local_load
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.convert_layout
//  CHECK-NEXT: tt.return
tt.func public @scratch(%x: tensor<64x64xf32, #rows>) {
  %m = ttg.local_alloc {allocation.offset = 65536 : i32} : () -> !buf
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  %y = ttg.convert_layout %x {allocation.offset = 0 : i32} : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #cols>
  %a = ttg.local_load %m : !buf -> tensor<64x64xf32, #rows>
  %z = ttg.convert_layout %a {allocation.offset = 0 : i32} : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #cols>
  tt.return
}

// Around a loop: the reads of one iteration come before the writes of the next.
// CHECK-LABEL: @around
//       CHECK: ^bb1
//       CHECK: ^bb2:
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.local_store
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.local_load
//  CHECK-NEXT: arith.addi
tt.func public @around(%x: tensor<64x64xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buf
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  %y = ttg.local_load %m : !buf -> tensor<64x64xf32, #rows>
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^exit:
  tt.return
}

// What the loop does not need itself is waited for once, in front of it.
// CHECK-LABEL: @in_front
//       CHECK: ttg.local_store
//       CHECK: ttg.local_barrier
//  CHECK-NEXT: cf.br
//   CHECK-NOT: ttg.local_barrier
//       CHECK: tt.return
tt.func public @in_front(%x: tensor<64x64xf32, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buf
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %y = ttg.local_load %m : !buf -> tensor<64x64xf32, #rows>
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^exit:
  tt.return
}

// One branch writes: who reads after the join waits.
// CHECK-LABEL: @branch
//       CHECK: ttg.local_store
//  CHECK-NEXT: cf.br
//       CHECK: ttg.local_barrier
//  CHECK-NEXT: ttg.local_load
//       CHECK: tt.return
tt.func public @branch(%x: tensor<64x64xf32, #rows>, %c: i1) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buf
  cf.cond_br %c, ^then, ^join
^then:
  ttg.local_store %x, %m : tensor<64x64xf32, #rows> -> !buf
  cf.br ^join
^join:
  %y = ttg.local_load %m : !buf -> tensor<64x64xf32, #rows>
  tt.return
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
!bufs = !ttg.memdesc<3x64x64xf32, #shared, #smem, mutable>
!four = !ttg.memdesc<4x64x64xf32, #shared, #smem, mutable>
!ptrs = tensor<64x64x!tt.ptr<f32>, #rows>
module attributes {"ttg.num-warps" = 4 : i32} {

// Three slots, copies two iterations ahead: one barrier per iteration, after the wait. The
// slot read in this iteration is not the one that is copied into.
// CHECK-LABEL: @pipelined
//       CHECK: ^bb2:
//       CHECK: ttg.async_wait
//   CHECK-NOT: local_load
//       CHECK: ttg.local_barrier
//       CHECK: ttg.local_load
//   CHECK-NOT: ttg.local_barrier
//       CHECK: ttg.async_copy_global_to_local
//   CHECK-NOT: ttg.local_barrier
//       CHECK: tt.return
tt.func public @pipelined(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %cm1 = arith.constant -1 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !bufs
  %s0 = ttg.memdesc_index %m[%c0] : !bufs -> !buf
  %t0 = ttg.async_copy_global_to_local %p, %s0 : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %s1 = ttg.memdesc_index %m[%c1] : !bufs -> !buf
  %t1 = ttg.async_copy_global_to_local %p, %s1 : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g1 = ttg.async_commit_group tokens %t1
  cf.br ^head(%c0, %c1, %cm1 : i32, i32, i32)
^head(%i: i32, %ins: i32, %ext: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %ext1 = arith.addi %ext, %c1 : i32
  %extw = arith.cmpi slt, %ext1, %c3 : i32
  %ext2 = arith.select %extw, %ext1, %c0 : i32
  %w = ttg.async_wait {num = 1 : i32}
  %sr = ttg.memdesc_index %m[%ext2] : !bufs -> !buf
  %y = ttg.local_load %sr token %w : !buf -> tensor<64x64xf32, #rows>
  %ins1 = arith.addi %ins, %c1 : i32
  %insw = arith.cmpi sge, %ins1, %c3 : i32
  %ins2 = arith.select %insw, %c0, %ins1 : i32
  %sw = ttg.memdesc_index %m[%ins2] : !bufs -> !buf
  %t = ttg.async_copy_global_to_local %p, %sw : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %ins2, %ext2 : i32, i32, i32)
^exit:
  %we = ttg.async_wait {num = 0 : i32}
  ttg.local_dealloc %m : !bufs
  tt.return
}

// A slot that nothing is known of: the copy must not overtake its readers, and what it
// brings is read in the next iteration.
// CHECK-LABEL: @unknown_slot
//       CHECK: ttg.async_wait
//       CHECK: ttg.local_barrier
//       CHECK: ttg.local_load
//       CHECK: ttg.local_barrier
//       CHECK: ttg.async_copy_global_to_local
tt.func public @unknown_slot(%p: !ptrs, %n: i32, %slot: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !bufs
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %w = ttg.async_wait {num = 0 : i32}
  %s = ttg.memdesc_index %m[%slot] : !bufs -> !buf
  %y = ttg.local_load %s token %w : !buf -> tensor<64x64xf32, #rows>
  %t = ttg.async_copy_global_to_local %p, %s : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^exit:
  tt.return
}

// The copy goes into the slot that was just read, which is read again three iterations later:
// the copy waits for its readers, and that is barrier enough.
// CHECK-LABEL: @just_read
//       CHECK: ttg.async_wait
//   CHECK-NOT: ttg.local_barrier
//       CHECK: ttg.local_load
//  CHECK-NEXT: ttg.local_barrier
//  CHECK-NEXT: ttg.async_copy_global_to_local
//   CHECK-NOT: ttg.local_barrier
//       CHECK: tt.return
tt.func public @just_read(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !bufs
  cf.br ^head(%c0, %c0 : i32, i32)
^head(%i: i32, %slot: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %slot, %c1 : i32
  %wrapped = arith.remui %next, %c3 : i32
  %w = ttg.async_wait {num = 0 : i32}
  %s = ttg.memdesc_index %m[%wrapped] : !bufs -> !buf
  %y = ttg.local_load %s token %w : !buf -> tensor<64x64xf32, #rows>
  %t = ttg.async_copy_global_to_local %p, %s : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %wrapped : i32, i32)
^exit:
  tt.return
}
// Other ways to count: by equality, by a mask of bits, from another start. Slots 1 and 0 ahead of
// each other are different ones.
// CHECK-LABEL: @other_counters
//       CHECK: ttg.async_wait
//       CHECK: ttg.local_barrier
//       CHECK: ttg.local_load
//   CHECK-NOT: ttg.local_barrier
//       CHECK: tt.return
tt.func public @other_counters(%p: !ptrs, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c3 = arith.constant 3 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !four
  cf.br ^head(%c0, %c1, %c4 : i32, i32, i32)
^head(%i: i32, %read: i32, %copy: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %w = ttg.async_wait {num = 0 : i32}
  %sr = ttg.memdesc_index %m[%read] : !four -> !buf
  %y = ttg.local_load %sr token %w : !buf -> tensor<64x64xf32, #rows>
  %low = arith.andi %copy, %c3 : i32
  %sw = ttg.memdesc_index %m[%low] : !four -> !buf
  %t = ttg.async_copy_global_to_local %p, %sw : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %r1 = arith.addi %read, %c1 : i32
  %last = arith.cmpi eq, %r1, %c4 : i32
  %r2 = arith.select %last, %c0, %r1 : i32
  %k1 = arith.addi %copy, %c1 : i32
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %r2, %k1 : i32, i32, i32)
^exit:
  tt.return
}

// Declines: what does not move on in every iteration is no counter.
// CHECK-LABEL: @not_in_step
//       CHECK: ttg.async_wait
//       CHECK: ttg.local_barrier
//       CHECK: ttg.local_load
//       CHECK: ttg.local_barrier
//       CHECK: ttg.async_copy_global_to_local
tt.func public @not_in_step(%p: !ptrs, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c3 = arith.constant 3 : i32
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !four
  cf.br ^head(%c0, %c1, %c0 : i32, i32, i32)
^head(%i: i32, %read: i32, %copy: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %w = ttg.async_wait {num = 0 : i32}
  %sr = ttg.memdesc_index %m[%read] : !four -> !buf
  %y = ttg.local_load %sr token %w : !buf -> tensor<64x64xf32, #rows>
  %low = arith.andi %copy, %c3 : i32
  %sw = ttg.memdesc_index %m[%low] : !four -> !buf
  %t = ttg.async_copy_global_to_local %p, %sw : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %r1 = arith.addi %read, %c1 : i32
  %last = arith.cmpi eq, %r1, %c4 : i32
  %r2 = arith.select %last, %c0, %r1 : i32
  %r3 = arith.select %c, %r2, %read : i32
  %k1 = arith.addi %copy, %c1 : i32
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %r3, %k1 : i32, i32, i32)
^exit:
  tt.return
}
}
