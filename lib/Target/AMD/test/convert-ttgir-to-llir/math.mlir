// RUN: tessera-opt %s --amd-convert-ttgir-to-llir --split-input-file | FileCheck %s
// RUN: tessera-opt %s --amd-convert-ttgir-to-llir="flush-denormals=true" --split-input-file | FileCheck %s --check-prefix=FLUSH

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// CHECK-LABEL: @f32
// CHECK: llvm.fmul
// CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.exp2"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.rsq"
// CHECK: llvm.call @_Z3sinf
// CHECK: llvm.call_intrinsic "llvm.amdgcn.exp2"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.rcp"
// CHECK-NOT: llvm.call @_Z
// CHECK: llvm.return
// FLUSH-LABEL: @f32
// FLUSH-SAME: ["denormal-fp-math-f32", "preserve-sign,preserve-sign"]
// FLUSH: llvm.call_intrinsic "llvm.amdgcn.exp2"
tt.func public @f32(%p: !tt.ptr<f32>, %x: f32) {
  %a = math.exp %x : f32
  %b = math.rsqrt %a : f32
  %c = math.sin %b : f32
  %d = tt.extern_elementwise %c {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f32) -> f32
  tt.store %p, %d : !tt.ptr<f32>
  tt.return
}

// erf is two polynomials and an exponential, without a branch; NaN selects the one for small numbers.

// CHECK-LABEL: @erf
// CHECK: %[[SIZE:.*]] = llvm.intr.minnum
// CHECK: llvm.intr.fmuladd(%{{.*}}, %[[SIZE]], %{{.*}})
// CHECK: %[[REST:.*]] = llvm.call_intrinsic "llvm.amdgcn.exp2"
// CHECK: %[[LARGE:.*]] = llvm.fsub %{{.*}}, %[[REST]]
// CHECK: llvm.fcmp "ult"
// CHECK: llvm.select
// CHECK: llvm.intr.copysign
tt.func public @erf(%p: !tt.ptr<f32>, %x: f32) {
  %a = math.erf %x : f32
  tt.store %p, %a : !tt.ptr<f32>
  tt.return
}

// LLVM has no code for transcendental functions of f64, and erf of f64 is libclc's.

// CHECK-LABEL: @f64
// CHECK: llvm.call @_Z3expd
// CHECK: llvm.call @_Z3powdd
// CHECK: llvm.call @_Z3erfd
tt.func public @f64(%p: !tt.ptr<f64>, %x: f64) {
  %a = math.exp %x : f64
  %b = tt.extern_elementwise %a, %x {libname = "", libpath = "", pure = true, symbol = "__ocml_pow_f64"} : (f64, f64) -> f64
  %c = math.erf %b : f64
  tt.store %p, %c : !tt.ptr<f64>
  tt.return
}

// Half types compute in f32.

// CHECK-LABEL: @bf16
// CHECK: %[[WIDE:.*]] = llvm.fpext
// CHECK: llvm.intr.log(%[[WIDE]])
// CHECK: llvm.fptrunc
tt.func public @bf16(%p: !tt.ptr<bf16>, %x: bf16) {
  %a = math.log %x : bf16
  tt.store %p, %a : !tt.ptr<bf16>
  tt.return
}

// What only ocml.bc has is called there, and linked or reported in make_llir.

// CHECK-LABEL: @bessel
// CHECK: llvm.call @__ocml_j0_f32(%{{.*}}) : (f32) -> f32
tt.func public @bessel(%p: !tt.ptr<f32>, %x: f32) {
  %d = tt.extern_elementwise %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_j0f"} : (f32) -> f32
  tt.store %p, %d : !tt.ptr<f32>
  tt.return
}

// Other directions of rounding: MODE changes for one instruction, or the nearest number is corrected.

// CHECK-LABEL: @directions
// CHECK: llvm.inline_asm "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\0A\09v_add_f32 $0, $1, $2\0A\09s_nop 1\0A\09s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", "=v,v,v"
// CHECK: llvm.inline_asm "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 1\0A\09v_fma_f64 $0, $1, $2, $3{{.*}}HW_REG_MODE, 2, 2), 0", "=v,v,v,v"
// CHECK: %[[QUOTIENT:.*]] = llvm.fdiv
// CHECK: %[[WIDE:.*]] = llvm.fpext %[[QUOTIENT]] : f32 to f64
// CHECK: %[[NEGATIVE:.*]] = llvm.fneg %[[WIDE]]
// CHECK: llvm.intr.fma(%[[NEGATIVE]]
tt.func public @directions(%p: !tt.ptr<f32>, %q: !tt.ptr<f64>, %x: f32, %y: f64) {
  %a = tt.extern_elementwise %x, %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_fadd_rz"} : (f32, f32) -> f32
  %b = tt.extern_elementwise %y, %y, %y {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_fma_ru"} : (f64, f64, f64) -> f64
  %c = tt.extern_elementwise %a, %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_fdiv_rd"} : (f32, f32) -> f32
  tt.store %p, %c : !tt.ptr<f32>
  tt.store %q, %b : !tt.ptr<f64>
  tt.return
}
}
