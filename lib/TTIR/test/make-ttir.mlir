// The whole stage: what it does, in which order, and what it leaves.
//
// RUN: tessera-opt %s -make-ttir -split-input-file | FileCheck %s
// RUN: tessera-opt %s -make-ttir=keep-descriptors -split-input-file | FileCheck %s --check-prefix=TMA
// RUN: tessera-opt %s -make-ttir --dump-pass-pipeline -split-input-file 2>&1 | FileCheck %s --check-prefix=ORDER
//
// ORDER: builtin.module(
// ORDER-NEXT: tt-inliner{everything=false},
// ORDER-NEXT: tt-rewrite-tensor-pointer,
// ORDER-NEXT: tt-rewrite-tensor-descriptor-to-pointer{float-extrema=false hints=true mark-accesses=false narrow-indices=false},
// ORDER-NEXT: tt-verify-phase{{.*}}forbidden-ops={tt.make_tensor_ptr,tt.advance,tt.make_tensor_descriptor} forbidden-types={block-pointer,descriptor} phase=pointers},
// ORDER-NEXT: tt-canonicalizer,
// ORDER-NEXT: tt-flatten-branches,
// ORDER-NEXT: tt-combine,
// ORDER-NEXT: tt-reorder-broadcast,
// ORDER-NEXT: cse,
// ORDER-NEXT: tt-symbol-dce,
// ORDER-NEXT: tt-loop-unroll
// ORDER-NEXT: )

// acc += dot(a, b): a helper, a block pointer, an accumulator, index arithmetic written twice.
// CHECK-LABEL: tt.func public @matmul
// CHECK-NOT: tt.call
// CHECK-NOT: tt.make_tensor_ptr
tt.func public @matmul(%a: !tt.ptr<f16>, %b: tensor<32x64xf16>, %c: !tt.ptr<f32>, %k: i64, %n: i32) attributes {noinline = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %l1 = arith.constant 1 : i64
  %l64 = arith.constant 64 : i64
  %zero = tt.call @zeros() : () -> tensor<64x64xf32>
  %block = tt.make_tensor_ptr %a, [%l64, %k], [%k, %l1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  // CHECK: scf.for
  // CHECK: %[[A:.*]] = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32x!tt.ptr<f16>>
  // CHECK: tt.dot %[[A]], %{{.*}}, %{{.*}} : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  // CHECK-NOT: arith.addf
  // CHECK: scf.yield
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %block, %sum = %zero) -> (!tt.ptr<tensor<64x32xf16>>, tensor<64x64xf32>) : i32 {
    %x = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
    %start = tt.call @zeros() : () -> tensor<64x64xf32>
    %d = tt.dot %x, %b, %start : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %next = arith.addf %sum, %d : tensor<64x64xf32>
    %q = tt.advance %p, [%c0, %c32] : <tensor<64x32xf16>>
    scf.yield %q, %next : !tt.ptr<tensor<64x32xf16>>, tensor<64x64xf32>
  }
  // One column of rows: 64x1, once.
  // CHECK: %[[ROWS:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  // CHECK: arith.muli %[[ROWS]], %{{.*}} : tensor<64x1xi32>
  // CHECK-NOT: arith.muli {{.*}} : tensor<64x64xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %wide = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x64xi32>
  %offsets = arith.muli %wide, %c64 : tensor<64x64xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %deep = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %index = arith.addi %offsets, %deep : tensor<64x64xi32>
  %base = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %index : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  // CHECK: tt.store
  tt.store %pointers, %0#1 : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
// CHECK-NOT: tt.func
tt.func private @zeros() -> tensor<64x64xf32> attributes {noinline = false} {
  %0 = arith.constant 0.0 : f32
  %1 = tt.splat %0 : f32 -> tensor<64x64xf32>
  tt.return %1 : tensor<64x64xf32>
}

// -----

// Descriptors stay where the target has them; a reshape goes into the load there.
// CHECK-LABEL: tt.func public @descriptor
// CHECK-NOT: tt.make_tensor_descriptor
// CHECK: tt.load
// TMA-LABEL: tt.func public @descriptor
// TMA: tt.make_tensor_descriptor
// TMA-NEXT: tt.descriptor_load {{.*}} -> tensor<32x64xf16>
// TMA-NEXT: tt.return
tt.func public @descriptor(%p: !tt.ptr<f16>, %m: i32, %s: i64) -> tensor<32x64xf16> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %0 = tt.make_tensor_descriptor %p, [%m, %m, %m], [%s, %s, %c1] : <f16>, <tensor<1x32x64xf16>>
  %1 = tt.descriptor_load %0[%c0, %c0, %c0] : !tt.tensordesc<tensor<1x32x64xf16>> -> tensor<1x32x64xf16>
  %2 = tt.reshape %1 : tensor<1x32x64xf16> -> tensor<32x64xf16>
  tt.return %2 : tensor<32x64xf16>
}

// -----

// Unrolled last: the body is simple by then, and a function that says noinline is kept.
// CHECK-LABEL: tt.func public @unrolled
// CHECK: scf.for
// CHECK-COUNT-2: tt.call @device
// CHECK-NOT: tt.call
// CHECK: scf.yield
// CHECK: tt.func private @device
// CHECK-NOT: @unused
tt.func public @unrolled(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%y = %x) -> (f32) : i32 {
    %1 = tt.call @device(%y) : (f32) -> f32
    scf.yield %1 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}
tt.func private @device(%x: f32) -> f32 attributes {noinline = true} {
  %0 = arith.addf %x, %x : f32
  tt.return %0 : f32
}
tt.func private @unused(%x: f32) -> f32 attributes {noinline = true} {
  tt.return %x : f32
}
