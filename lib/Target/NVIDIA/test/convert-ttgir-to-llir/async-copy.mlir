// Copies that run beside the program, as cp.async.
// RUN: tessera-opt %s --split-input-file --nvidia-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", ttg.shared = 2048 : i32} {

// 16 rows of 64: a thread holds 8 elements in each of 4 rows, and copies each run at once.

// CHECK-LABEL: llvm.func @whole
// CHECK-COUNT-4: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-NOT: nvvm.cp.async.shared
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
tt.func public @whole(%p: tensor<16x64x!tt.ptr<f16>, #b>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %m {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #b> -> <16x64xf16, #s, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %w = ttg.async_wait %g {num = 1 : i32}
  tt.return
}

// Where the mask is false nothing is read and zeros are written. Eight bytes go
// through L1.

// CHECK-LABEL: llvm.func @masked
// CHECK: %[[SIZE:.*]] = llvm.inline_asm {{.*}}"selp.b32 $0, {{[0-9]+}}, 0, $1;"
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 8, cache = ca, %[[SIZE]]
tt.func public @masked(%p: tensor<16x64x!tt.ptr<f16>, #b>, %k: tensor<16x64xi1, #b>) {
  %zero = arith.constant dense<0.0> : tensor<16x64xf16, #b>
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %m mask %k other %zero {contiguity = 4 : i32} : tensor<16x64x!tt.ptr<f16>, #b> -> <16x64xf16, #s, #smem, mutable>
  tt.return
}

// Two rows: half of the threads hold what the others hold, and leave it to them.

// CHECK-LABEL: llvm.func @replicated
// CHECK: %[[REP:.*]] = llvm.icmp "eq"
// CHECK: llvm.inline_asm has_side_effects "@$2 cp.async.cg.shared.global [$0], [$1], 16;", "r,l,b,~{memory}" %{{.*}}, %{{.*}}, %[[REP]]
// CHECK-NOT: cp.async
// CHECK: llvm.return
tt.func public @replicated(%p: tensor<2x64x!tt.ptr<f16>, #b>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<2x64xf16, #s, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %m {contiguity = 8 : i32} : tensor<2x64x!tt.ptr<f16>, #b> -> <2x64xf16, #s, #smem, mutable>
  tt.return
}

// CHECK-LABEL: llvm.func @hinted
// CHECK: createpolicy.fractional.L2::evict_last.b64
// CHECK: cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;
tt.func public @hinted(%p: tensor<16x64x!tt.ptr<f16>, #b>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %m evictionPolicy = evict_last {contiguity = 8 : i32} : tensor<16x64x!tt.ptr<f16>, #b> -> <16x64xf16, #s, #smem, mutable>
  tt.return
}
}
