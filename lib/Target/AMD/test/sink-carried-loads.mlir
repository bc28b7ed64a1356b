// RUN: tessera-opt %s --amd-sink-carried-loads | FileCheck %s
// The next load takes the registers of the last one where nothing forbids it.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: tt.func @sinks
  // CHECK: scf.for
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: tt.load
  // CHECK: ttg.local_load
  tt.func @sinks(%ptrs: tensor<32x32x!tt.ptr<f16>, #blocked>, %out: tensor<32x32x!tt.ptr<f16>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = tt.load %ptrs : tensor<32x32x!tt.ptr<f16>, #blocked>
    %zero = arith.constant dense<0.0> : tensor<32x32xf16, #blocked>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %first, %sum = %zero) -> (tensor<32x32xf16, #blocked>, tensor<32x32xf16, #blocked>) : i32 {
      %next = tt.load %ptrs : tensor<32x32x!tt.ptr<f16>, #blocked>
      %buffer = ttg.local_alloc %carried : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #smem>
      %read = ttg.local_load %buffer : !ttg.memdesc<32x32xf16, #shared, #smem> -> tensor<32x32xf16, #blocked>
      %added = arith.addf %sum, %read : tensor<32x32xf16, #blocked>
      scf.yield %next, %added : tensor<32x32xf16, #blocked>, tensor<32x32xf16, #blocked>
    }
    tt.store %out, %r#1 : tensor<32x32x!tt.ptr<f16>, #blocked>
    tt.return
  }

  // What the iteration stores may be what it loads next.
  // CHECK-LABEL: tt.func @passes_no_store
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK: tt.store
  tt.func @passes_no_store(%ptrs: tensor<32x32x!tt.ptr<f16>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = tt.load %ptrs : tensor<32x32x!tt.ptr<f16>, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %first) -> (tensor<32x32xf16, #blocked>) : i32 {
      %next = tt.load %ptrs : tensor<32x32x!tt.ptr<f16>, #blocked>
      tt.store %ptrs, %carried : tensor<32x32x!tt.ptr<f16>, #blocked>
      scf.yield %next : tensor<32x32xf16, #blocked>
    }
    tt.return
  }

  // A volatile load stays where it is.
  // CHECK-LABEL: tt.func @volatile
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  tt.func @volatile(%ptrs: tensor<32x32x!tt.ptr<f16>, #blocked>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = tt.load %ptrs : tensor<32x32x!tt.ptr<f16>, #blocked>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %first) -> (tensor<32x32xf16, #blocked>) : i32 {
      %next = tt.load %ptrs {isVolatile = true} : tensor<32x32x!tt.ptr<f16>, #blocked>
      %buffer = ttg.local_alloc %carried : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #smem>
      scf.yield %next : tensor<32x32xf16, #blocked>
    }
    tt.return
  }
}
