// RUN: tessera-opt --split-input-file --cpu-convert-ttir-to-llir=cpu=x86-64-v3 %s | FileCheck %s

// f16 computes in f32 and rounds after every operation.
// CHECK-LABEL: llvm.func @half
// CHECK: llvm.fpext %{{.*}} : vector<[[N:[0-9]+]]xf16> to vector<[[N]]xf32>
// CHECK: %[[SUM:.*]] = llvm.fadd
// CHECK: %[[ROUNDED:.*]] = llvm.fptrunc %[[SUM]] : vector<[[N]]xf32> to vector<[[N]]xf16>
// CHECK: llvm.fpext
// CHECK: llvm.fmul
// CHECK: llvm.fptrunc
tt.func public @half(%p: !tt.ptr<f16>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %a = tt.addptr %s, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<f16>>
  %y = arith.addf %x, %x : tensor<64xf16>
  %z = arith.mulf %y, %x : tensor<64xf16>
  tt.store %a, %z : tensor<64x!tt.ptr<f16>>
  tt.return
}

// -----

// exp of f32 is in line; of f64 it is libmvec's, a register at a time; fmod is
// called lane by lane, in one function for all places.
// CHECK-NOT: llvm.func @expf
// CHECK-NOT: _ZGV{{.*}}expf
// CHECK-DAG: llvm.func @_ZGVdN4v_exp(vector<4xf64>) -> vector<4xf64>
// CHECK-DAG: llvm.func @fmod(f64, f64) -> f64
// CHECK: llvm.func @functions
// CHECK: llvm.intr.fmuladd
// CHECK: llvm.call @_ZGVdN4v_exp
// CHECK: llvm.call @tessera.fmod.f64x[[N:[0-9]+]]
// CHECK: llvm.func internal @tessera.fmod.f64x[[N]]
// CHECK: llvm.call @fmod
tt.func public @functions(%p: !tt.ptr<f32>, %q: !tt.ptr<f64>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %s, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<f32>>
  %y = math.exp %x : tensor<64xf32>
  %wide = arith.extf %y : tensor<64xf32> to tensor<64xf64>
  %z = math.exp %wide : tensor<64xf64>
  %r = arith.remf %z, %wide : tensor<64xf64>
  %t = tt.splat %q : !tt.ptr<f64> -> tensor<64x!tt.ptr<f64>>
  %b = tt.addptr %t, %i : tensor<64x!tt.ptr<f64>>, tensor<64xi32>
  tt.store %b, %r : tensor<64x!tt.ptr<f64>>
  tt.return
}

// -----

// A 64-bit integer reaches bf16 through f64 with a mark of what it lost there:
// one rounding.
// CHECK-LABEL: llvm.func @long_to_bf16
// CHECK: llvm.ashr
// CHECK: llvm.or
// CHECK: llvm.sitofp %{{.*}} : i64 to f64
// CHECK: llvm.fmul
// CHECK-NOT: bf16
tt.func public @long_to_bf16(%p: !tt.ptr<bf16>, %x: i64) {
  %y = arith.sitofp %x : i64 to bf16
  tt.store %p, %y : !tt.ptr<bf16>
  tt.return
}
