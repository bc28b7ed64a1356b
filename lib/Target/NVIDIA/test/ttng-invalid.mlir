// RUN: tessera-opt %s --split-input-file --verify-diagnostics

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @barrier(%b: !ttg.memdesc<2xi64, #shared, #smem, mutable>) {
  // expected-error @+1 {{operand #0 must be a barrier (one mutable i64 in shared memory)}}
  ttng.init_barrier %b, 1 : !ttg.memdesc<2xi64, #shared, #smem, mutable>
  tt.return
}
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @nobody(%b: !ttg.memdesc<1xi64, #shared, #smem, mutable>) {
  // [ttng.arrive_barrier.C1]
  // expected-error @+1 {{arrives 0 times}}
  ttng.arrive_barrier %b, 0 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  tt.return
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @sizes(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<128x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) {
  // [ttng.warp_group_dot.C2]
  // expected-error @+1 {{multiplies 64 x 64 by 128 x 64 into 64 x 64}}
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<128x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  tt.return
}
tt.func public @layout(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma2>) {
  // [ttng.warp_group_dot.C3]
  // expected-error @+1 {{needs a result with an nvidia_mma encoding of version 3}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma2>
  tt.return
}
tt.func public @columns(%a: tensor<64x64xf16, #mma>, %c: tensor<64x64xf32, #mma>) {
  // [ttng.warp_group_dot.C4]
  // expected-error @+1 {{needs b in shared memory}}
  %d = ttng.warp_group_dot %a, %a, %c : tensor<64x64xf16, #mma> * tensor<64x64xf16, #mma> -> tensor<64x64xf32, #mma>
  tt.return
}
tt.func public @batches(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>) {
  // [ttng.warp_group_dot.C1]
  // expected-error @+1 {{multiplies matrices}}
  %d = ttng.warp_group_dot %a, %a, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  tt.return
}
}

// -----

tt.func public @map(%p: !tt.ptr<i8>, %i: i32, %s: i64) {
  // [ttng.tensormap_create.C1]
  // expected-error @+1 {{has 2 box sizes, 2 sizes, 2 strides and 2 element strides}}
  ttng.tensormap_create %p, %p, [%i, %i], [%i, %i], [%s, %s], [%i, %i] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32, i64, i64, i32, i32) -> ()
  tt.return
}

// -----

tt.func public @codes(%p: !tt.ptr<i8>, %i: i32, %s: i64) {
  // [ttng.tensormap_create.C2]
  // expected-error @+1 {{has a code that tensor maps do not know}}
  ttng.tensormap_create %p, %p, [%i, %i], [%i, %i], [%s], [%i, %i] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 4 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32, i64, i32, i32) -> ()
  tt.return
}

// -----

#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @count(%b: !ttg.memdesc<1xi64, #one, #smem, mutable>) {
  // [ttng.init_barrier.C1]
  // expected-error @+1 {{has a count of 0, not 1 to 1048575}}
  ttng.init_barrier %b, 0 : !ttg.memdesc<1xi64, #one, #smem, mutable>
  tt.return
}

// -----

#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @bytes(%b: !ttg.memdesc<1xi64, #one, #smem, mutable>, %p: i1) {
  // [ttng.barrier_expect.C1]
  // expected-error @+1 {{expects 1048576 bytes, not 0 to 1048575}}
  ttng.barrier_expect %b, 1048576, %p : !ttg.memdesc<1xi64, #one, #smem, mutable>
  tt.return
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func public @coordinates(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>, %m: !ttg.memdesc<64x64xf16, #tile, #smem>, %i: i32) {
  // [ttng.async_tma_copy.C1]
  // expected-error @+1 {{has 1 coordinates for a block of rank 2}}
  ttng.async_tma_copy_local_to_global %d[%i] %m : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<64x64xf16, #tile, #smem>
  tt.return
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
tt.func public @block(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>, %m: !ttg.memdesc<32x64xf16, #tile, #smem>, %i: i32) {
  // [ttng.async_tma_copy.C2]
  // expected-error @+1 {{copies a block of 'tensor<64x64xf16}}
  ttng.async_tma_reduce add, %d[%i, %i] %m : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<32x64xf16, #tile, #smem>
  tt.return
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func public @constant(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>, %m: !ttg.memdesc<64x64xf16, #tile, #smem>, %b: !ttg.memdesc<1xi64, #one, #smem, mutable>, %i: i32, %p: i1) {
  // [ttng.async_tma_copy.C3]
  // expected-error @+1 {{writes a buffer that is not mutable}}
  ttng.async_tma_copy_global_to_local %d[%i, %i] %m, %b, %p : !tt.tensordesc<tensor<64x64xf16, #tile>>, !ttg.memdesc<1xi64, #one, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tile, #smem>
  tt.return
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @registers() {
  // [ttng.set_max_registers.C1]
  // expected-error @+1 {{has 100 registers for a thread, not a multiple of 8 from 24 to 256}}
  ttng.set_max_registers 100
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 8 : i32} {
tt.func public @turns() {
  // [ttng.pass_turn.C1]
  // expected-error @+1 {{names warp group 2, not 0 or 1}}
  ttng.pass_turn by 2
  tt.return
}
}
