// RUN: tessera-opt %s --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>
#two = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 16, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#fp8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// One statement: a fence, two instructions along K, the commit of their group, the wait.

// CHECK-LABEL: llvm.func @dot
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $17, $16, 1, 1, 1, 0, 1;
// CHECK-SAME: add.s64 ra, $17, 2;
// CHECK-SAME: wgmma.mma_async{{.*}}, ra, rb, 1, 1, 1, 0, 1;
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;
tt.func public @dot(%c: tensor<64x16xf32, #mma>, %o: tensor<64x16x!tt.ptr<f32>, #mma>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #tile, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<32x16xf16, #wide, #smem, mutable>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x32xf16, #tile, #smem, mutable> * !ttg.memdesc<32x16xf16, #wide, #smem, mutable> -> tensor<64x16xf32, #mma>
  tt.store %o, %d : tensor<64x16x!tt.ptr<f32>, #mma>
  tt.return
}

// A sum that starts at zero needs no zeros; an asynchronous dot has a wait of its own, which
// its registers go through; words of A come from registers.

// CHECK-LABEL: llvm.func @asynchronous
// CHECK: llvm.inline_asm
// CHECK-SAME: wgmma.mma_async{{.*}} {$0, $1, $2, $3, $4, $5, $6, $7}, {$17, $18, $19, $20}, $16, 0, 1, 1, 1;
// CHECK-NOT: wait_group
// CHECK: llvm.inline_asm
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;
// CHECK: fence.proxy.async.shared::cta;
tt.func public @asynchronous(%a: tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %o: tensor<64x16x!tt.ptr<f32>, #mma>) {
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
  %b = ttg.local_alloc : () -> !ttg.memdesc<16x16xf16, #wide, #smem, mutable>
  %d = ttng.warp_group_dot %a, %b, %zeros {isAsync = true} : tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<16x16xf16, #wide, #smem, mutable> -> tensor<64x16xf32, #mma>
  %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x16xf32, #mma>
  ttng.fence_async_shared {bCluster = false}
  tt.store %o, %w : tensor<64x16x!tt.ptr<f32>, #mma>
  tt.return
}

// At most 32 products of fp8 are added by the unit: two statements, each from zero, and their sums in f32.

// CHECK-LABEL: llvm.func @limited
// CHECK: wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 {$0, $1, $2, $3, $4, $5, $6, $7}, $17, $16, 0, 1, 1;
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-8: llvm.fadd
// CHECK: wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 {{.*}}, ra, rb, 0, 1, 1;
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;
// CHECK-COUNT-8: llvm.fadd
// CHECK-NOT: wgmma
tt.func public @limited(%c: tensor<64x16xf32, #fp8>, %o: tensor<64x16x!tt.ptr<f32>, #fp8>) {
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
  %b = ttg.local_alloc : () -> !ttg.memdesc<64x16xf8E4M3FN, #columns, #smem, mutable>
  %d = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable> * !ttg.memdesc<64x16xf8E4M3FN, #columns, #smem, mutable> -> tensor<64x16xf32, #fp8>
  tt.store %o, %d : tensor<64x16x!tt.ptr<f32>, #fp8>
  tt.return
}
}
