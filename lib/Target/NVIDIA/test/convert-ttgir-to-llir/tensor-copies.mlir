// RUN: tessera-opt %s --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir | FileCheck %s

#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 32}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// A map is passed by value. 128 columns of f16 are two boxes of 128 bytes, 8 KiB apart; coordinates are innermost first.

// CHECK-LABEL: llvm.func @load
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: %[[ROW:.*]]: i32, %[[COLUMN:.*]]: i32, %[[PRED:.*]]: i1
// CHECK: "@$1 prefetch.tensormap [$0];", "l,b" %[[MAP]]
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
// CHECK: %[[ISSUES:.*]] = llvm.and %[[FIRST]], %[[PRED]]
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: "@$5 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,b,~{memory}"
// CHECK-SAME: %[[MAP]], %[[COLUMN]], %[[ROW]], %[[BARRIER:.*]], %[[ISSUES]] :
// CHECK: llvm.mlir.constant(8192 : i32)
// CHECK: llvm.mlir.constant(64 : i32)
// CHECK: %[[NEXT:.*]] = llvm.add %[[COLUMN]]
// CHECK: "@$5 cp.async.bulk.tensor.2d
// CHECK-SAME: %[[MAP]], %[[NEXT]], %[[ROW]], %[[BARRIER]], %[[ISSUES]] :
// CHECK-NOT: cp.async.bulk
// CHECK: llvm.return
tt.func public @load(%d: !tt.tensordesc<tensor<64x128xf16, #wide>>, %i: i32, %j: i32, %p: i1) {
  %t = ttg.local_alloc : () -> !ttg.memdesc<64x128xf16, #wide, #smem, mutable>
  %b = ttg.local_alloc : () -> !barrier
  ttng.async_tma_copy_global_to_local %d[%i, %j] %t, %b, %p : !tt.tensordesc<tensor<64x128xf16, #wide>>, !barrier -> !ttg.memdesc<64x128xf16, #wide, #smem, mutable>
  tt.return
}

// Copies out of shared memory are a group; the wait is for those that still read.

// CHECK-LABEL: llvm.func @store
// CHECK: "@$4 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$2, $3}], [$0];"
// CHECK: "@$0 cp.async.bulk.commit_group;"
// CHECK: "@$4 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [$1, {$2, $3}], [$0];"
// CHECK: "@$0 cp.async.bulk.commit_group;"
// CHECK: "cp.async.bulk.wait_group.read 1;"
// CHECK: "cp.async.bulk.wait_group 0;"
tt.func public @store(%d: !tt.tensordesc<tensor<16x8xf32, #narrow>>, %i: i32, %j: i32) {
  %t = ttg.local_alloc : () -> !ttg.memdesc<16x8xf32, #narrow, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %j] %t : !tt.tensordesc<tensor<16x8xf32, #narrow>>, !ttg.memdesc<16x8xf32, #narrow, #smem, mutable>
  ttng.async_tma_reduce add, %d[%i, %j] %t : !tt.tensordesc<tensor<16x8xf32, #narrow>>, !ttg.memdesc<16x8xf32, #narrow, #smem, mutable>
  ttng.async_tma_store_wait {pendings = 1 : i32}
  ttng.async_tma_store_wait {pendings = 0 : i32, written}
  tt.return
}

// A copy that is not started is an empty group.

// CHECK-LABEL: llvm.func @store_if
// CHECK: prefetch.tensormap
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
// CHECK: %[[BOTH:.*]] = llvm.and %[[FIRST]], %{{.*}} : i1
// CHECK: %[[ALONE:.*]] = llvm.icmp "eq"
// CHECK: "@$4 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$2, $3}], [$0];"
// CHECK-SAME: %[[BOTH]] :
// CHECK: "@$0 cp.async.bulk.commit_group;"
// CHECK-SAME: %[[ALONE]] :
// CHECK: "fence.proxy.async.global;"
tt.func public @store_if(%d: !tt.tensordesc<tensor<16x8xf32, #narrow>>, %i: i32, %j: i32, %p: i1) {
  %t = ttg.local_alloc : () -> !ttg.memdesc<16x8xf32, #narrow, #smem, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %j] %t, %p : !tt.tensordesc<tensor<16x8xf32, #narrow>>, !ttg.memdesc<16x8xf32, #narrow, #smem, mutable>
  ttng.fence_async_global
  tt.return
}

// A map in global memory. Boxes have at most 256 elements along a dimension.

// CHECK-LABEL: llvm.func @in_memory
// CHECK: %[[MAP:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr<1> to !llvm.ptr
// CHECK: "@$6 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4}], [$5];"
// CHECK-SAME: %[[MAP]]
// CHECK: llvm.mlir.constant(256 : i32)
// CHECK: "@$6 cp.async.bulk.tensor.3d
// CHECK-NOT: cp.async.bulk
// CHECK: llvm.return
tt.func public @in_memory(%m: !tt.ptr<i8>, %i: i32, %p: i1) {
  %d = ttng.reinterpret_tensor_descriptor %m : !tt.ptr<i8> to !tt.tensordesc<tensor<2x4x512xi8, #plain>>
  %t = ttg.local_alloc : () -> !ttg.memdesc<2x4x512xi8, #plain, #smem, mutable>
  %b = ttg.local_alloc : () -> !barrier
  ttng.async_tma_copy_global_to_local %d[%i, %i, %i] %t, %b, %p : !tt.tensordesc<tensor<2x4x512xi8, #plain>>, !barrier -> !ttg.memdesc<2x4x512xi8, #plain, #smem, mutable>
  tt.return
}

// A map that the kernel makes in shared memory: 128 bytes of zeros, then field by field, innermost dimensions first. A warp copies it to global memory and
// releases it; whoever copies by it acquires it.

// CHECK-LABEL: llvm.func @made
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr<1>{{.*}}, %[[BASE:.*]]: !llvm.ptr<1>{{.*}}, %[[SIZE:.*]]: i32, %[[STRIDE:.*]]: i64
// CHECK: %[[FROM:.*]] = llvm.mlir.addressof @global_smem
// CHECK: %[[S:.*]] = llvm.ptrtoint %[[FROM]]
// CHECK: nvvm.bar.warp.sync
// CHECK: "@$1 st.shared.b32 [$0], 0;"
// CHECK: nvvm.bar.warp.sync
// CHECK: "@$2 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $1;", "r,l,b,~{memory}" %[[S]], %[[BASE]]
// CHECK: "@$1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1;"
// CHECK: "@$2 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 0, $1;"
// CHECK: "@$2 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 1, $1;"
// CHECK: "@$2 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $1;"
// CHECK: "@$2 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 1, $1;"
// CHECK: "@$2 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $1;", "r,l,b,~{memory}" %[[S]], %[[STRIDE]]
// CHECK: "@$1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$0], 6;"
// CHECK: "@$1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [$0], 0;"
// CHECK: "@$1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$0], 3;"
// CHECK: "@$1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 1;"
// CHECK: nvvm.bar.warp.sync
// CHECK: "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,r,b,~{memory}" %[[MAP]], %[[S]]
// CHECK: "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;"
tt.func public @made(%m: !tt.ptr<i8>, %base: !tt.ptr<f16>, %i: i32, %s: i64) {
  ttng.tensormap_create %m, %base, [%i, %i], [%i, %i], [%s], [%i, %i] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %m : !tt.ptr<i8>
  tt.return
}
}
