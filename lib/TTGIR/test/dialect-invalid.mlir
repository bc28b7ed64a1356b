// Ops that the ttg dialect rejects, and tt ops on encoded tensors. Each case cites the rule that it
// breaks.
//
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%p: tensor<128x!tt.ptr<f32>, #b1>, %o: tensor<128xi32, #b2>) {
    // [tt.encoding.C1]
    // expected-error @below {{operands have different encodings}}
    %0 = tt.addptr %p, %o : tensor<128x!tt.ptr<f32>, #b1>, tensor<128xi32, #b2>
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b1>) {
    // [tt.encoding.C2]
    // expected-error @below {{operands and results have different encodings}}
    %0 = tt.bitcast %x : tensor<128xf32, #b1> -> tensor<128xi32, #b2>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b1>) {
    // [tt.expand_dims.C2]
    // expected-error @+2 {{needs a source with a slice encoding}}
    // expected-error @+1 {{failed to infer returned types}}
    %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<128xf32, #b1> -> tensor<128x1xf32, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>) {
    // [tt.expand_dims.C2]
    // expected-error @+2 {{inserts dimension 0 into a slice that lacks dimension 1}}
    // expected-error @+1 {{failed to infer returned types}}
    %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<1x64xf32, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xf32, #b>) {
    // [tt.trans.C2]
    // expected-error @+2 {{inferred type(s)}}
    // expected-error @+1 {{failed to infer returned types}}
    %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #b> -> tensor<32x64xf32, #b>
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#bs = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64xf32, #b1>) {
    // [tt.join.C1]
    // expected-error @+2 {{inferred type(s)}}
    // expected-error @+1 {{failed to infer returned types}}
    %0 = tt.join %x, %x : tensor<64xf32, #b1> -> tensor<64x2xf32, #bs>
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#bs = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x2xf32, #bs>) {
    // [tt.split.C2]
    // expected-error @+2 {{needs both halves of the last dimension in the same thread}}
    // expected-error @+1 {{failed to infer returned types}}
    %0, %1 = tt.split %x : tensor<64x2xf32, #bs> -> tensor<64xf32, #b1>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xf32, #b>) {
    // [tt.reshape.C2]
    // expected-error @below {{needs an encoding on both sides or on none}}
    %0 = tt.reshape %x : tensor<64x32xf32, #b> -> tensor<2048xf32>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xf32, #b>) {
    // [tt.reshape.C3]
    // expected-error @below {{moves elements between threads: its result should have encoding #ttg.linear<{register}}
    %0 = tt.reshape %x : tensor<64x32xf32, #b> -> tensor<2048xf32, #b1>
    tt.return
  }
}

// -----

#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: tensor<64x32xf32, #mfma>) {
    // [tt.reshape.C3]
    // expected-error @below {{moves elements between threads}}
    %0 = tt.reshape %x : tensor<64x32xf32, #mfma> -> tensor<32x64xf32, #mfma>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: tensor<64x64xf16>, %c: tensor<64x64xf32, #b>) {
    // [tt.dot.C6]
    // expected-error @below {{needs encodings on all operands or on none}}
    %0 = tt.dot %a, %a, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32, #b>
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %c: tensor<64x64xf32, #mma>) {
    // [tt.dot.C7] [ttg.dot.C1]
    // expected-error @below {{B must be a dot operand with opIdx 1}}
    %0 = tt.dot %a, %a, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %c: tensor<64x64xf32, #b>) {
    // [ttg.dot.C2]
    // expected-error @below {{operands must have the result's encoding}}
    %0 = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #b>
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %c: tensor<64x64xf32, #mma>) {
    // [ttg.dot.C3]
    // expected-error @below {{operands have different kWidths, 2 and 4}}
    %0 = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #s1>) {
    // [ttg.tensor.C1]
    // expected-error @below {{is not a layout over threads}}
    %0 = tt.precise_sqrt %x : tensor<128xf32, #s1>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b>) {
    // [ttg.tensor.C2]
    // expected-error @below {{a layout of rank 2 on a tensor of rank 1}}
    %0 = tt.precise_sqrt %x : tensor<128xf32, #b>
    tt.return
  }
}

// -----

#b64 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b64>) {
    // [ttg.tensor.C3]
    // expected-error @below {{the layout has 64 threads per warp, but the module 32}}
    %0 = tt.precise_sqrt %x : tensor<128xf32, #b64>
    tt.return
  }
}

// -----

#b8 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b8>) {
    // [ttg.tensor.C4]
    // expected-error @below {{the layout has 8 warps, but the op runs on 4}}
    %0 = tt.precise_sqrt %x : tensor<128xf32, #b8>
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32} {
  tt.func @f(%x: tensor<128xf32, #b1>) {
    // [ttg.tensor.C4]
    // expected-error @below {{a layout needs a module with 'ttg.num-warps'}}
    %0 = tt.precise_sqrt %x : tensor<128xf32, #b1>
    tt.return
  }
}

// -----

#bc = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #bc>) {
    // [ttg.tensor.C5]
    // expected-error @below {{the layout has 2 CTAs, but the module 1}}
    %0 = tt.precise_sqrt %x : tensor<128xf32, #bc>
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b1>) {
    // [ttg.convert_layout.C1]
    // expected-error @below {{converts between encodings}}
    %0 = ttg.convert_layout %x : tensor<128xf32, #b1> -> tensor<128xf32>
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b1>) {
    // expected-error @below {{requires the same shape for all operands and results}}
    %0 = ttg.convert_layout %x : tensor<128xf32, #b1> -> tensor<64xf32, #b1>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xi8, #b>) {
    // [ttg.fp4_to_fp.C1]
    // expected-error @below {{axis 2 is not in [0, 2)}}
    %0 = ttg.fp4_to_fp %x {axis = 2 : i32} : tensor<64x32xi8, #b> -> tensor<64x64xf16, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xi8, #b>) {
    // [ttg.fp4_to_fp.C2]
    // expected-error @below {{makes a tensor of shape [64, 64]}}
    %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #b> -> tensor<128x32xf16, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xi8, #b>) {
    // [ttg.fp4_to_fp.C3]
    // expected-error @below {{needs an encoding on both sides or on none}}
    %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #b> -> tensor<64x64xf16>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xi8, #b>) {
    // [ttg.fp4_to_fp.C4]
    // expected-error @below {{its result should have encoding #ttg.blocked<{sizePerThread = [1, 8]}}
    %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x32xi8, #b> -> tensor<64x64xf16, #b>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.global_scratch_alloc.C1]
    // expected-error @below {{cannot allocate -4 bytes aligned to 16}}
    %0 = ttg.global_scratch_alloc {alignment = 16 : i32, nbytes = -4 : i32} : !tt.ptr<i8>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%i: i32) {
    // [ttg.predicate_stage.C1]
    // expected-error @below {{stage 3 is not in [0, 2]}}
    %0 = ttg.predicate_stage %i, %i, %i maxStage 2 stage 3 : i32 -> i1
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%p: i1, %i: i32) {
    // [ttg.mask.C1]
    // expected-error @below {{region returns ('i32'), but the op ('i64')}}
    %0 = "ttg.mask"(%p) ({
      ttg.mask.return %i : i32
    }) : (i1) -> i64
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.local.C1]
    // expected-error @below {{moves elements between}}
    %0 = ttg.local_load %m : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> tensor<32x64xf16, #b>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xf32, #b>) {
    // [ttg.local.C1]
    // expected-error @below {{moves elements between}}
    %0 = ttg.local_alloc %x : (tensor<64x32xf32, #b>) -> !ttg.memdesc<64x32xf16, #s, #smem>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<64x32xf16, #b>, %m: !ttg.memdesc<64x32xf16, #s, #smem>) {
    // [ttg.local.C2]
    // expected-error @below {{writes to an immutable buffer}}
    ttg.local_store %x, %m : tensor<64x32xf16, #b> -> !ttg.memdesc<64x32xf16, #s, #smem>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.local_alloc.C1]
    // expected-error @below {{without a source must be mutable}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #s, #smem>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.local_alloc.C2]
    // expected-error @below {{allocates a whole buffer}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.local_alloc.C3]
    // expected-error @below {{alignment 24 is not a power of two}}
    %0 = ttg.local_alloc {alignment = 24 : i32} : () -> !ttg.memdesc<64x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%p: tensor<64x32x!tt.ptr<f16>, #b>, %m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.async_copy_global_to_local.C1]
    // expected-error @below {{contiguity is 0, but must be at least 1}}
    %0 = ttg.async_copy_global_to_local %p, %m {contiguity = 0 : i32} : tensor<64x32x!tt.ptr<f16>, #b> -> <64x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.async_wait.C1]
    // expected-error @below {{waits until -1 groups are pending}}
    %0 = ttg.async_wait {num = -1 : i32}
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem>) {
    // [ttg.view.C1]
    // expected-error @below {{makes an immutable buffer mutable}}
    %0 = ttg.memdesc_reinterpret %m : !ttg.memdesc<64x32xf16, #s, #smem> -> !ttg.memdesc<64x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>, %i: i32) {
    // [ttg.view.C2]
    // expected-error @below {{changes the element type from 'f16' to 'bf16'}}
    %0 = ttg.memdesc_reshape %m : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x32xbf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<3x64x32xf16, #s, #smem, mutable>, %i: i32) {
    // [ttg.memdesc_index.C1]
    // expected-error @below {{takes one of}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<3x64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>, %i: i32) {
    // [ttg.memdesc_index.C2]
    // expected-error @below {{needs an encoding of the dimensions that remain}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32xf16, #s1, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<3x64x16xf16, #s, #smem, mutable, 3x64x32>, %i: i32) {
    // [ttg.memdesc_index.C3]
    // expected-error @below {{takes a whole buffer, not a part of one}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<3x64x16xf16, #s, #smem, mutable, 3x64x32> -> !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_subslice.C1]
    // expected-error @below {{must keep rank, encoding and allocation shape}}
    %0 = ttg.memdesc_subslice %m[0, 16] : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x16xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_subslice.C2]
    // expected-error @below {{has 1 offsets for rank 2}}
    %0 = ttg.memdesc_subslice %m[16] : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_subslice.C3]
    // expected-error @below {{offset 8 of a part of size 16 in dimension 1 of size 32}}
    %0 = ttg.memdesc_subslice %m[0, 8] : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_subslice.C3]
    // expected-error @below {{offset 32 of a part of size 16 in dimension 1 of size 32}}
    %0 = ttg.memdesc_subslice %m[0, 32] : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<4x64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_subslice.C4]
    // expected-error @below {{splits a dimension that counts buffers}}
    %0 = ttg.memdesc_subslice %m[2, 0, 0] : !ttg.memdesc<4x64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<2x64x32xf16, #s, #smem, mutable, 4x64x32>
    tt.return
  }
}

// -----

#sc = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #sc, #smem, mutable>) {
    // [ttg.memdesc_subslice.C5]
    // expected-error @below {{cannot split a buffer that a cluster shares}}
    %0 = ttg.memdesc_subslice %m[0, 16] : !ttg.memdesc<64x32xf16, #sc, #smem, mutable> -> !ttg.memdesc<64x16xf16, #sc, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#sw = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #sw, #smem, mutable>) {
    // [ttg.memdesc_subslice.C6]
    // expected-error @below {{cuts through the swizzle}}
    %0 = ttg.memdesc_subslice %m[2, 0] : !ttg.memdesc<64x32xf16, #sw, #smem, mutable> -> !ttg.memdesc<2x32xf16, #sw, #smem, mutable, 64x32>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#n3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_trans.C1]
    // expected-error @below {{order [0, 2] is not a permutation of 2 dimensions}}
    %0 = ttg.memdesc_trans %m {order = array<i32: 0, 2>} : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32x64xf16, #n3, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#n3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_trans.C2]
    // expected-error @below {{which does not give}}
    %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x32xf16, #n3, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_trans.C3]
    // expected-error @below {{should yield encoding}}
    %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>) {
    // [ttg.memdesc_reshape.C1]
    // expected-error @below {{takes a whole buffer, not a part of one}}
    %0 = ttg.memdesc_reshape %m : !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32> -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_reshape.C2]
    // expected-error @below {{changes the number of elements}}
    %0 = ttg.memdesc_reshape %m : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<4x64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_reshape.C3]
    // expected-error @below {{changes how many buffers there are}}
    %0 = ttg.memdesc_reshape %m : !ttg.memdesc<4x64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<2x128x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#n3 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_reshape.C4]
    // expected-error @below {{moves elements}}
    %0 = ttg.memdesc_reshape %m : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<32x64xf16, #n3, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32>) {
    // [ttg.memdesc_reinterpret.C1]
    // expected-error @below {{takes a whole buffer, not a part of one}}
    %0 = ttg.memdesc_reinterpret %m : !ttg.memdesc<64x16xf16, #s, #smem, mutable, 64x32> -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x32xf16, #s, #smem, mutable>) {
    // [ttg.memdesc_reinterpret.C2]
    // expected-error @below {{from the smaller}}
    %0 = ttg.memdesc_reinterpret %m : !ttg.memdesc<64x32xf16, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C1]
    // expected-error @below {{expects one ttg.warp_specialize.partitions}}
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
      ttg.warp_yield
    }, {
      "ttg.warp_yield"() : () -> ()
    }) : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C2]
    // expected-error @below {{has 0 partitions, but partitionNumWarps has 1}}
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4>}> ({
      ttg.warp_yield
    }, {
      "ttg.warp_specialize.partitions"() : () -> ()
    }) : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C3]
    // expected-error @below {{partition 0 has 3 warps, which is not a power of two}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(3) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C3]
    // expected-error @below {{partition 0 has -4 warps, which is not a power of two}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(-4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C4]
    // expected-error @below {{has 1 partitions, but requestedRegisters has 2}}
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 24>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C4]
    // expected-error @below {{has 1 partitions and a default, but actualRegisters has 1}}
    ttg.warp_specialize() attributes {actualRegisters = array<i32: 24>}
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @f() {
    // [ttg.warp_specialize.C5]
    // expected-error @below {{needs a multiple of 4 warps around it, but has 2}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    ttg.warp_specialize()
    default {
    // [ttg.warp_specialize.C6]
    // expected-error @below {{cannot be nested in another}}
      ttg.warp_specialize()
      default {
        ttg.warp_yield
      } : () -> ()
      ttg.warp_yield
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%i: i32) {
    // [ttg.warp_specialize.C7]
    // expected-error @below {{captures ('i32'), but partition 0 takes ('i64')}}
    ttg.warp_specialize(%i)
    default {
      ttg.warp_yield
    }
    partition0(%a: i64) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----

#b1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: tensor<128xf32, #b1>) {
    ttg.warp_specialize(%x)
    default {
      ttg.warp_yield
    }
    partition0(%y: tensor<128xf32, #b1>) num_warps(8) {
    // [ttg.tensor.C4]
    // expected-error @below {{the layout has 4 warps, but the op runs on 8}}
      %0 = tt.precise_sqrt %y : tensor<128xf32, #b1>
      ttg.warp_return
    } : (tensor<128xf32, #b1>) -> ()
    tt.return
  }
}
