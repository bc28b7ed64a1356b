// Every op of ttng, and those of ttg around them, as Triton 3.6.0 prints them. Parsing and
// printing gives back this text.
//
// RUN: grep -v "^//" %s > %t.expected
// RUN: tessera-opt %s > %t.printed
// RUN: diff %t.expected %t.printed
// RUN: tessera-opt %s -mlir-print-op-generic | tessera-opt > %t.printed
// RUN: diff %t.expected %t.printed
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1]}>
#shared3 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#shared4 = #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [64, 32]}>
#shared5 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%arg0: tensor<64x32x!tt.ptr<f16>, #blocked>, %arg1: tensor<64x32xi1, #blocked>, %arg2: tensor<64x32xf16, #blocked>, %arg3: i32, %arg4: i1, %arg5: tensor<64x32xf16, #blocked>, %arg6: tensor<64x64xf32, #mma>, %arg7: !tt.tensordesc<tensor<64x64xf16, #shared>>, %arg8: tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>, %arg9: tensor<64x32xi8, #blocked>) {
    %0 = ttg.convert_layout %arg5 : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma1, kWidth = 2}>>
    %1 = ttg.convert_layout %arg5 : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #linear>
    %2 = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared1, #smem, mutable>
    %3 = ttg.memdesc_index %2[%arg3] : !ttg.memdesc<2x64x32xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared1, #smem, mutable>
    %4 = ttg.async_copy_global_to_local %arg0, %3 mask %arg1 other %arg2 cacheModifier = cg {contiguity = 8 : i32} : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x32xf16, #shared1, #smem, mutable>
    %5 = ttg.async_commit_group tokens %4
    %6 = ttg.async_wait %5 {num = 1 : i32}
    %7 = ttg.local_load %3 token %6 : !ttg.memdesc<64x32xf16, #shared1, #smem, mutable> -> tensor<64x32xf16, #blocked>
    ttg.local_store %7, %3 : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x32xf16, #shared1, #smem, mutable>
    %8 = ttg.memdesc_subslice %3[0, 16] : !ttg.memdesc<64x32xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x16xf16, #shared1, #smem, mutable, 64x32>
    %9 = ttg.memdesc_trans %3 {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #shared1, #smem, mutable> -> !ttg.memdesc<32x64xf16, #shared2, #smem, mutable>
    %10 = ttg.local_alloc %arg5 {alignment = 1024 : i32} : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared3, #smem>
    %11 = ttg.memdesc_reinterpret %2 : !ttg.memdesc<2x64x32xf16, #shared1, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared1, #smem, mutable>
    %12 = ttg.local_alloc %arg5 : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared4, #smem>
    ttg.local_dealloc %2 : !ttg.memdesc<2x64x32xf16, #shared1, #smem, mutable>
    %13 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    %14 = ttg.predicate_stage %arg3, %arg3, %arg3 maxStage 2 stage 1 : i32 -> i1
    %15 = "ttg.mask"(%arg4) ({
      %24 = arith.addi %arg3, %arg3 : i32
      ttg.mask.return %24 : i32
    }) : (i1) -> i32
    %16 = ttg.fp4_to_fp %arg9 {axis = 1 : i32} : tensor<64x32xi8, #blocked> -> tensor<64x64xf16, #blocked1>
    ttg.local_barrier
    %17 = ttg.warp_specialize(%arg3, %2) attributes {requestedRegisters = array<i32: 24>}
    default {
      %24 = arith.addi %arg3, %arg3 : i32
      ttg.warp_yield %24 : i32
    }
    partition0(%arg10: i32, %arg11: !ttg.memdesc<2x64x32xf16, #shared1, #smem, mutable>) num_warps(4) {
      ttg.warp_return
    } : (i32, !ttg.memdesc<2x64x32xf16, #shared1, #smem, mutable>) -> i32
    %18 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %19 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %20 = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    ttng.init_barrier %20, 1 : !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    ttng.barrier_expect %20, 8192, %arg4 : !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    ttng.async_tma_copy_global_to_local %arg7[%arg3, %arg3] %18, %20, %arg4 : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #shared5, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.wait_barrier %20, %arg3 : !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    ttng.wait_barrier %20, %arg3, %arg4 deps %18, %19 : !ttg.memdesc<1xi64, #shared5, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.arrive_barrier %20, 1, %arg4 : !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    ttng.async_copy_mbarrier_arrive %20 {noIncrement} : !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    ttng.fence_async_global
    %21 = ttng.warp_group_dot %18, %19, %arg6, %arg4 {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %22:3 = ttng.warp_group_dot_wait %21, %18, %19 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_local_to_global %arg7[%arg3, %arg3] %18 : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_copy_local_to_global %arg7[%arg3, %arg3] %18, %arg4 : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_reduce add, %arg7[%arg3, %arg3] %18 : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.async_tma_store_wait {pendings = 1 : i32, written}
    ttng.inval_barrier %20 : !ttg.memdesc<1xi64, #shared5, #smem, mutable>
    %23 = ttng.reinterpret_tensor_descriptor %13 : !tt.ptr<i8> to !tt.tensordesc<tensor<64x64xf16, #shared>>
    ttng.tensormap_fenceproxy_acquire %13 : !tt.ptr<i8>
    ttng.cluster_arrive {relaxed = false}
    ttng.cluster_wait
    tt.return
  }
}

