// Buffers that an iteration allocates take shared memory beside those of the loads that run ahead.
//
// RUN: tessera-opt %s --ttg-assign-latencies="max-shared-bytes=49152" | FileCheck %s
// RUN: tessera-opt %s --ttg-assign-latencies="max-shared-bytes=40960" | FileCheck %s --check-prefix=LESS

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
!p = tensor<64x64x!tt.ptr<f16>, #b>
!i = tensor<64x64xi32, #b>
!t = tensor<64x64xf16, #b>
!tx = tensor<64x64xf16, #x>
!ty = tensor<64x64xf16, #y>
!acc = tensor<64x64xf32, #mma>
!buffer = !ttg.memdesc<64x64xf16, #shared, #smem>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// All tiles have 8 KiB: two of each load, and two that the iteration writes.

// CHECK-LABEL: @transient
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 1 : i32}
// LESS-LABEL: @transient
// LESS: tt.load %{{[a-z0-9]*}} : tensor
// LESS: tt.load {{.*}} {tt.latency = 1 : i32}
tt.func @transient(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (!acc, !p, !p) : i32 {
    %av = tt.load %pa : !p
    %bv = tt.load %pb : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %h = arith.truncf %d : !acc to tensor<64x64xf16, #mma>
    %first = ttg.local_alloc %h : (tensor<64x64xf16, #mma>) -> !buffer
    %second = ttg.local_alloc %h : (tensor<64x64xf16, #mma>) -> !buffer
    %fx = ttg.local_load %first : !buffer -> !tx
    %sy = ttg.local_load %second : !buffer -> !ty
    %e = tt.dot %fx, %sy, %d : !tx * !ty -> !acc
    %pa1 = tt.addptr %pa, %step : !p, !i
    %pb1 = tt.addptr %pb, %step : !p, !i
    scf.yield %e, %pa1, %pb1 : !acc, !p, !p
  }
  tt.return
}
}
