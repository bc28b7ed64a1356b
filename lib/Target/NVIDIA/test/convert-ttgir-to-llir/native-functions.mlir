// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir | FileCheck %s

// Functions of libdevice that are instructions need no library.

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func @native
// CHECK: llvm.call_intrinsic "llvm.nvvm.add.rz.f"
// CHECK: llvm.fneg
// CHECK: llvm.call_intrinsic "llvm.nvvm.add.rp.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2ull.rm"
// CHECK: llvm.mlir.constant(30583 : i32)
// CHECK: llvm.and
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: llvm.intr.ctlz
// CHECK: llvm.call_intrinsic "llvm.nvvm.sin.approx.ftz.f"
// CHECK: llvm.call @__nv_sinf
tt.func public @native(%x: f32, %i: i32, %p: !tt.ptr<f32>, %q: !tt.ptr<i64>, %r: !tt.ptr<i32>) {
  %0 = tt.extern_elementwise %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rz"} : (f32, f32) -> f32
  %1 = tt.extern_elementwise %0, %x {libname = "", libpath = "", pure = true, symbol = "__nv_fsub_ru"} : (f32, f32) -> f32
  %2 = tt.extern_elementwise %1 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ull_rd"} : (f32) -> i64
  %3 = tt.extern_elementwise %i, %i, %i {libname = "", libpath = "", pure = true, symbol = "__nv_byte_perm"} : (i32, i32, i32) -> i32
  %4 = tt.extern_elementwise %3 {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i32
  %5 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_fast_sinf"} : (f32) -> f32
  %6 = tt.extern_elementwise %5 {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (f32) -> f32
  tt.store %p, %6 : !tt.ptr<f32>
  tt.store %q, %2 : !tt.ptr<i64>
  tt.store %r, %4 : !tt.ptr<i32>
  tt.return
}
}
