// RUN: tessera-opt %s --ttg-outline-functions --amd-convert-ttgir-to-llir --split-input-file | FileCheck %s

// A product of all 64 lanes: DPP alone. The last lane has it in the end.

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
// CHECK-LABEL: @wave
// quad_perm:[1,0,3,2], quad_perm:[2,3,0,1], half_mirror, mirror, row_bcast:15, row_bcast:31
// CHECK: llvm.mlir.constant(177 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(78 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(321 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(320 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(322 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(323 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(63 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.readlane"
// CHECK-NOT: llvm.amdgcn.ds.
tt.func public @wave(%o: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.muli %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<64xi32, #b>) -> i32
  tt.store %o, %s : !tt.ptr<i32>
  tt.return
}

// A function that does not commute keeps the order: DPP within 16, the other half of 32 by
// ds_swizzle, the other 32 by ds_bpermute.

// CHECK-LABEL: @ordered
// quad_perm:[1,0,3,2], quad_perm:[2,3,0,1], half_mirror with quad_perm:[3,2,1,0], row_ror:8
// CHECK: llvm.mlir.constant(177 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(78 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(321 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(27 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(296 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.mlir.constant(16415 : i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.swizzle"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"
// CHECK-NOT: llvm.amdgcn.permlanex16
// CHECK-NOT: llvm.amdgcn.readlane
tt.func public @ordered(%o: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.subi %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<64xi32, #b>) -> i32
  tt.store %o, %s : !tt.ptr<i32>
  tt.return
}
}

// -----

// 32 lanes of RDNA: row_xmask is any exchange within 16, permlanex16 that of the two rows.

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1100"} {
// CHECK-LABEL: @rdna
// CHECK-NOT: llvm.amdgcn.ds.
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.update.dpp"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.permlanex16"
// CHECK-NOT: llvm.amdgcn.ds.
tt.func public @rdna(%o: !tt.ptr<i32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.muli %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<32xi32, #b>) -> i32
  tt.store %o, %s : !tt.ptr<i32>
  tt.return
}
}
