// RUN: tessera-opt %s --ttg-allocate-shared-memory --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-allocate-shared-memory --split-input-file --remark-format=emitRemark --remarks-filter=ttg-allocate-shared-memory 2>&1 | FileCheck %s --check-prefix=REMARK

// The remarks: how much memory the kernel takes, and whether exchanges have separate scratch.
// REMARK: [Analysis] shared-memory {{.*}}Remark="the kernel takes 16384 bytes of shared memory for 2 buffers; 16384 are live at once", buffers=2, bytes=16384, live-bytes=16384
// REMARK: [Passed] scratch {{.*}}Reason="separate scratch takes 32 bytes in all, shared scratch 16", Remark="consecutive exchanges between threads have separate scratch", separate-bytes=32, shared-bytes=16

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>

// One after the other: the same bytes.
// CHECK: module attributes {{.*}}ttg.shared = 16384 : i32
// CHECK-LABEL: @in_turn
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @in_turn(%x: tensor<64x64xf32, #rows>) {
  %a = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %y = ttg.local_load %a : !buf -> tensor<64x64xf32, #rows>
  %b = ttg.local_alloc %y : (tensor<64x64xf32, #rows>) -> !buf
  %z = ttg.local_load %b : !buf -> tensor<64x64xf32, #rows>
  tt.return
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
!small = !ttg.memdesc<8x64xf32, #shared, #smem, mutable>

// In use together: a view and a select keep their buffers in use. The third finds the place
// of the first free again.
// CHECK: module attributes {{.*}}ttg.shared = 34816 : i32
// CHECK-LABEL: @together
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[A:[0-9]+]] : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[B:[0-9]+]] : i32}
// CHECK: ttg.local_alloc {allocation.offset = 32768 : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[A]] : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @together(%x: tensor<64x64xf32, #rows>, %c: i1) {
  %a = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %b = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %s = arith.select %c, %a, %b : !buf
  %m = ttg.local_alloc : () -> !small
  %y = ttg.local_load %s : !buf -> tensor<64x64xf32, #rows>
  ttg.local_dealloc %m : !small
  %d = ttg.local_alloc %y : (tensor<64x64xf32, #rows>) -> !buf
  %z = ttg.local_load %b : !buf -> tensor<64x64xf32, #rows>
  %w = ttg.local_load %d : !buf -> tensor<64x64xf32, #rows>
  tt.return
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>

// A buffer from before a loop is in use all through it; one made inside is not in use at
// the loop's end, and its bytes serve the conversion there.
// CHECK-LABEL: @loop
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[A:[0-9]+]] : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[B:[0-9]+]] : i32}
// CHECK: ttg.convert_layout {{.*}} {allocation.offset = [[B]] : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @loop(%x: tensor<64x64xf32, #rows>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %a = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  cf.br ^head(%c1 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %y = ttg.local_load %a : !buf -> tensor<64x64xf32, #rows>
  %b = ttg.local_alloc %y : (tensor<64x64xf32, #rows>) -> !buf
  %z = ttg.local_load %b : !buf -> tensor<64x64xf32, #rows>
  %w = ttg.convert_layout %z : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #cols>
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^exit:
  tt.return
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
!ptrs = tensor<64x64x!tt.ptr<f32>, #rows>

// A buffer that is being copied into is in use until the copy was waited for.
// CHECK: module attributes {{.*}}ttg.shared = 32768 : i32
// CHECK-LABEL: @copy
// CHECK: ttg.local_alloc {allocation.offset = [[A:[0-9]+]] : i32}
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = [[B:[0-9]+]] : i32}
// CHECK: ttg.async_wait
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @copy(%p: !ptrs, %x: tensor<64x64xf32, #rows>) {
  %a = ttg.local_alloc : () -> !buf
  %t = ttg.async_copy_global_to_local %p, %a : !ptrs -> <64x64xf32, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %b = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %y = ttg.local_load %b : !buf -> tensor<64x64xf32, #rows>
  %w = ttg.async_wait {num = 0 : i32}
  %c = ttg.local_alloc %x : (tensor<64x64xf32, #rows>) -> !buf
  %z = ttg.local_load %c : !buf -> tensor<64x64xf32, #rows>
  tt.return
}
}

// -----

#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// Small scratch is not shared with the op before: the second sum need not wait until all
// have read what the first one wrote. The third takes the first one's place.
// CHECK-LABEL: @sums
// CHECK: "tt.reduce"{{.*}}
// CHECK: allocation.offset = 0 : i32
// CHECK: allocation.offset = {{[1-9][0-9]*}} : i32
// CHECK: allocation.offset = 0 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @sums(%x: tensor<1024xf32, #one>) {
  %a = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32, #one>) -> f32
  %b = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.maxnumf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32, #one>) -> f32
  %c = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.minnumf %l, %r : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32, #one>) -> f32
  tt.return
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tiny = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// Alignment: as asked, as the encoding needs, and never less than the widest access.
// CHECK-LABEL: @aligned
// CHECK: ttg.local_alloc {allocation.offset = [[T:[0-9]+]] : i32} : () -> !ttg.memdesc<1xi8
// CHECK: ttg.local_alloc {allocation.offset = {{0|1024|2048|8192|9216}} : i32} : () -> !ttg.memdesc<64x64xf16
// CHECK: ttg.local_alloc {alignment = 512 : i32, allocation.offset = {{0|512|8192|8704}} : i32} : () -> !ttg.memdesc<4xi8
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @aligned(%x: tensor<64x64xf16, #rows>) {
  %t = ttg.local_alloc : () -> !ttg.memdesc<1xi8, #tiny, #smem, mutable>
  %n = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  %a = ttg.local_alloc {alignment = 512 : i32} : () -> !ttg.memdesc<4xi8, #tiny, #smem, mutable>
  ttg.local_dealloc %t : !ttg.memdesc<1xi8, #tiny, #smem, mutable>
  ttg.local_dealloc %n : !ttg.memdesc<64x64xf16, #nvmma, #smem, mutable>
  ttg.local_dealloc %a : !ttg.memdesc<4xi8, #tiny, #smem, mutable>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#l = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}>
// Declines: within a thread nothing has to be stored.

// CHECK: module attributes {{.*}}ttg.shared = 0 : i32
// CHECK: ttg.convert_layout %arg0 : tensor<128xf32
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func public @rename(%x: tensor<128xf32, #a>) {
  %y = ttg.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #l>
  tt.return
}
}
