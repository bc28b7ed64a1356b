// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir --canonicalize --cse | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#sw = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#plain1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#padded = #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [64, 32]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bop = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", ttg.shared = 16384 : i32} {

// A thread's 8 halves are one store of 16 bytes; 64 rows of 64 bytes fill two rounds.
// CHECK-LABEL: llvm.func @write
// CHECK: %[[S:.*]] = llvm.getelementptr inbounds %{{.*}}[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[S]][%{{.*}}]
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: %[[Q:.*]] = llvm.getelementptr inbounds %[[P]][2048]
// CHECK: llvm.store %{{.*}}, %[[Q]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func public @write(%x: f16) {
  %t = tt.splat %x : f16 -> tensor<64x32xf16, #b>
  %m = ttg.local_alloc %t {allocation.offset = 1024 : i32} : (tensor<64x32xf16, #b>) -> !ttg.memdesc<64x32xf16, #sw, #smem>
  ttg.local_dealloc %m : !ttg.memdesc<64x32xf16, #sw, #smem>
  tt.return
}

// Rows that hold K are read in matrices of 8 rows of 16 bytes; those that hold N by the
// transposing instruction.
// CHECK-LABEL: llvm.func @operands
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT: ldmatrix
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func public @operands(%o: !tt.ptr<f16>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x32xf16, #sw, #smem, mutable>
  %n = ttg.local_alloc {allocation.offset = 4096 : i32} : () -> !ttg.memdesc<32x64xf16, #sw, #smem, mutable>
  %u = ttg.local_load %m : !ttg.memdesc<64x32xf16, #sw, #smem, mutable> -> tensor<64x32xf16, #a>
  %v = ttg.local_load %n : !ttg.memdesc<32x64xf16, #sw, #smem, mutable> -> tensor<32x64xf16, #bop>
  %pa = tt.splat %o : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #a>
  tt.store %pa, %u {ttg.access = array<i32: 0, 1>} : tensor<64x32x!tt.ptr<f16>, #a>
  %pb = tt.splat %o : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #bop>
  tt.store %pb, %v {ttg.access = array<i32: 0, 1>} : tensor<32x64x!tt.ptr<f16>, #bop>
  tt.return
}

// One of three buffers: 4096 bytes apart. Half of it: an offset that is xored in.
// CHECK-LABEL: llvm.func @views
// CHECK-DAG: %[[PART:.*]] = llvm.mlir.constant(32 : i32) : i32
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(4096 : i32) : i32
// CHECK: %[[AT:.*]] = llvm.mul %arg0, %[[BYTES]]
// CHECK: llvm.getelementptr inbounds %{{.*}}[%[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: llvm.or disjoint %{{.*}}, %[[PART]]
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
tt.func public @views(%i: i32, %x: f16) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<3x64x32xf16, #plain, #smem, mutable>
  %k = ttg.memdesc_index %m[%i] : !ttg.memdesc<3x64x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<64x32xf16, #plain, #smem, mutable>
  %s = ttg.memdesc_subslice %k[0, 16] : !ttg.memdesc<64x32xf16, #plain, #smem, mutable> -> !ttg.memdesc<64x16xf16, #plain, #smem, mutable, 64x32>
  %t = tt.splat %x : f16 -> tensor<64x16xf16, #b>
  ttg.local_store %t, %s : tensor<64x16xf16, #b> -> !ttg.memdesc<64x16xf16, #plain, #smem, mutable, 64x32>
  tt.return
}

// After each row of 32 elements, 8 are left out: offset + offset / 64 * 16 in bytes.
// CHECK-LABEL: llvm.func @padded
// CHECK-DAG: %[[SIX:.*]] = llvm.mlir.constant(6 : i32) : i32
// CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32) : i32
// CHECK: %[[ROW:.*]] = llvm.lshr %[[OFFSET:.*]], %[[SIX]]
// CHECK: %[[EXTRA:.*]] = llvm.shl %[[ROW]], %[[FOUR]]
// CHECK: llvm.add %[[OFFSET]], %[[EXTRA]]
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.getelementptr inbounds %{{.*}}[2560]
tt.func public @padded(%o: !tt.ptr<f16>) {
  %m = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x32xf16, #padded, #smem, mutable>
  %u = ttg.local_load %m : !ttg.memdesc<64x32xf16, #padded, #smem, mutable> -> tensor<64x32xf16, #b>
  %pa = tt.splat %o : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #b>
  tt.store %pa, %u {ttg.access = array<i32: 0, 1>} : tensor<64x32x!tt.ptr<f16>, #b>
  tt.return
}

// A bool takes a byte, a pointer eight.
// CHECK-LABEL: llvm.func @kinds
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: llvm.store %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<3>
// CHECK: llvm.ptrtoint
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : i64, !llvm.ptr<3>
tt.func public @kinds(%x: i1, %p: !tt.ptr<f32>) {
  %t = tt.splat %x : i1 -> tensor<4x32xi1, #c>
  %m = ttg.local_alloc %t {allocation.offset = 0 : i32} : (tensor<4x32xi1, #c>) -> !ttg.memdesc<4x32xi1, #plain, #smem>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<4x32x!tt.ptr<f32>, #c>
  %n = ttg.local_alloc %q {allocation.offset = 128 : i32} : (tensor<4x32x!tt.ptr<f32>, #c>) -> !ttg.memdesc<4x32x!tt.ptr<f32>, #plain, #smem>
  ttg.local_dealloc %m : !ttg.memdesc<4x32xi1, #plain, #smem>
  ttg.local_dealloc %n : !ttg.memdesc<4x32x!tt.ptr<f32>, #plain, #smem>
  tt.return
}
}
