// RUN: tessera-opt --split-input-file --cpu-convert-ttir-to-llir=cpu=x86-64-v3 %s | FileCheck %s

// CHECK-LABEL: llvm.func @integers
// CHECK: llvm.intr.bitreverse
// CHECK: llvm.intr.ctpop
tt.func public @integers(%p: !tt.ptr<i32>, %x: i32) {
  %a = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_brev"} : (i32) -> i32
  %b = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_popc"} : (i32) -> i32
  tt.store %p, %b : !tt.ptr<i32>
  tt.return
}

// -----

// Rounding to nearest is LLVM's own; other directions set the control register
// around one operation, in functions of their own.
// CHECK-LABEL: llvm.func @directions
// CHECK: %[[NEAREST:.*]] = llvm.fadd
// CHECK: llvm.call @tessera.add.rz.f64x0.f64x0(%[[NEAREST]]
// CHECK: llvm.func internal @tessera.add.op.f64x0.f64x0({{.*}}) -> f64 attributes {{.*}}noinline
// CHECK: llvm.fadd
// CHECK: llvm.func internal @tessera.add.rz.f64x0.f64x0({{.*}}) -> f64 attributes {{.*}}noinline
// CHECK: stmxcsr
// CHECK: ldmxcsr
// CHECK: llvm.call @tessera.add.op.f64x0.f64x0
// CHECK: ldmxcsr
tt.func public @directions(%p: !tt.ptr<f64>, %x: f64) {
  %a = tt.extern_elementwise %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_dadd_rn"} : (f64, f64) -> f64
  %b = tt.extern_elementwise %a, %x {libname = "", libpath = "", pure = true, symbol = "__nv_dadd_rz"} : (f64, f64) -> f64
  tt.store %p, %b : !tt.ptr<f64>
  tt.return
}

// -----

// What libm has not is computed in f64, and rounded for f32.
// CHECK-LABEL: llvm.func @special
// CHECK: llvm.fpext %{{.*}} : f32 to f64
// CHECK: llvm.call @tessera.erfcinv.f64x0
// CHECK: llvm.fptrunc %{{.*}} : f64 to f32
tt.func public @special(%p: !tt.ptr<f32>, %x: f32) {
  %a = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erfcinvf"} : (f32) -> f32
  tt.store %p, %a : !tt.ptr<f32>
  tt.return
}
