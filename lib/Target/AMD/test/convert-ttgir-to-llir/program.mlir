// RUN: tessera-opt %s --convert-scf-to-cf --amd-convert-ttgir-to-llir --split-input-file | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942", ttg.shared = 512 : i32} {

// CHECK: #mmra_tag = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
// Shared memory is a variable of its size.
// CHECK: llvm.mlir.global internal @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>

// Run-time arguments, then two hidden pointers. The number of programs is a hidden argument of the
// code object; the number of threads bounds the thread's index.

// CHECK-LABEL: llvm.func amdgpu_kernelcc @abi
// CHECK-SAME: (%arg0: !llvm.ptr<1> {llvm.align = 16 : i64}, %arg1: i32, %arg2: i1, %arg3: f16, %arg4: !llvm.ptr<1>, %arg5: !llvm.ptr<1>, %arg6: !llvm.ptr<1>)
// CHECK-SAME: ["amdgpu-flat-work-group-size", "128,128"], ["uniform-work-group-size", "true"], ["denormal-fp-math-f32", "ieee,ieee"], ["amdgpu-ieee", "false"]
// CHECK: llvm.call_intrinsic "llvm.amdgcn.workgroup.id.y"() : () -> i32
// CHECK: %[[HIDDEN:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[HIDDEN]][2] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
// CHECK: llvm.load %[[PLACE]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
tt.func public @abi(%p: !tt.ptr<f32> {tt.divisibility = 48 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %b: i1, %h: f16, %q: !tt.ptr<i8>) {
  %y = tt.get_program_id y : i32
  %z = tt.get_num_programs z : i32
  %s = arith.addi %y, %z : i32
  %x = tt.addptr %p, %s : !tt.ptr<f32>, i32
  %f = arith.sitofp %s : i32 to f32
  tt.store %x, %f : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: llvm.func amdgpu_kernelcc @thread
// CHECK: llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> (i32 {llvm.range = #llvm.constant_range<i32, 0, 128>})
tt.func public @thread(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %q = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %q, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  tt.store %a, %r : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// The barrier of shared memory does not wait for global memory; that of the program does.

// CHECK-LABEL: llvm.func amdgpu_kernelcc @barriers
// CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #mmra_tag}
// CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.s.barrier"()
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #mmra_tag}
// CHECK-NEXT: llvm.fence syncscope("workgroup") release
// CHECK-NOT: mmra
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.barrier"()
tt.func public @barriers() {
  ttg.local_barrier
  gpu.barrier
  tt.return
}
}

// -----

// gfx12 has no IEEE mode to switch off, and warps of 32 lanes.

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1201"} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @rdna4
// CHECK-NOT: amdgpu-ieee
// CHECK: llvm.return
tt.func public @rdna4() {
  tt.return
}
}
