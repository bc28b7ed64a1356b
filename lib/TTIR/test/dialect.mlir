// The forms in which tt ops print. Everything here also parses in Triton 3.6.0.
//
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s -mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: tt.func private @helper(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = true}
tt.func private @helper(%a: f32, %b: f32) -> f32 attributes {noinline = true} {
  %0 = arith.addf %a, %b : f32
  // CHECK: tt.return %{{.*}} : f32
  tt.return %0 : f32
}

// CHECK-LABEL: tt.func public @program
// CHECK-SAME: (%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32, 3>) {
tt.func public @program(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f32, 3>) {
  // CHECK: tt.get_program_id x : i32
  %0 = tt.get_program_id x : i32
  // CHECK: tt.get_num_programs z {tt.hint = 1 : i32} : i32
  %1 = tt.get_num_programs z {tt.hint = 1 : i32} : i32
  // CHECK: [[X:%.*]] = tt.load %arg1 : !tt.ptr<f32, 3>
  %2 = tt.load %s : !tt.ptr<f32, 3>
  // CHECK: tt.call @helper([[X]], [[X]]) : (f32, f32) -> f32
  %3 = tt.call @helper(%2, %2) : (f32, f32) -> f32
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: @casts
tt.func @casts(%p: !tt.ptr<f32>, %x: tensor<128xf32>, %e: tensor<128xf8E5M2>) {
  // CHECK: [[I:%.*]] = tt.ptr_to_int %arg0 : !tt.ptr<f32> -> i64
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  // CHECK: tt.int_to_ptr [[I]] : i64 -> !tt.ptr<f32>
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  // CHECK: tt.bitcast %arg0 : !tt.ptr<f32> -> !tt.ptr<i32>
  %2 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>
  // CHECK: tt.bitcast %arg0 : !tt.ptr<f32> -> !tt.ptr<!tt.ptr<i8>>
  %3 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<!tt.ptr<i8>>
  // CHECK: tt.fp_to_fp %arg1, rounding = rtne : tensor<128xf32> -> tensor<128xf16>
  %4 = tt.fp_to_fp %x, rounding = rtne : tensor<128xf32> -> tensor<128xf16>
  // CHECK: tt.fp_to_fp %arg1 {tt.hint}, rounding = rtz : tensor<128xf32> -> tensor<128xf16>
  %5 = tt.fp_to_fp %x {tt.hint}, rounding = "rtz" : tensor<128xf32> -> tensor<128xf16>
  // CHECK: tt.fp_to_fp %arg2 : tensor<128xf8E5M2> -> tensor<128xf32>
  %6 = tt.fp_to_fp %e : tensor<128xf8E5M2> -> tensor<128xf32>
  tt.return
}

// CHECK-LABEL: @shapes
tt.func @shapes(%n: i32) {
  // CHECK: [[R:%.*]] = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // CHECK: tt.make_range {end = 0 : i32, start = -4 : i32} : tensor<4xi32>
  %1 = tt.make_range {end = 0 : i32, start = -4 : i32} : tensor<4xi32>
  // CHECK: tt.splat %arg0 : i32 -> tensor<128xi32>
  %2 = tt.splat %n : i32 -> tensor<128xi32>
  // CHECK: [[E:%.*]] = tt.expand_dims [[R]] {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %3 = tt.expand_dims %0 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK: tt.broadcast [[E]] : tensor<128x1xi32> -> tensor<128x64xi32>
  %4 = tt.broadcast %3 : tensor<128x1xi32> -> tensor<128x64xi32>
  tt.return
}

// CHECK-LABEL: @memory
tt.func @memory(%p: !tt.ptr<f32>, %o: tensor<128xi64>, %m: tensor<128xi1>, %z: tensor<128xf32>,
                %b: !tt.ptr<tensor<32x64xf16>>) {
  %0 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  // CHECK: [[P:%.*]] = tt.addptr %{{.*}}, %arg1 : tensor<128x!tt.ptr<f32>>, tensor<128xi64>
  %1 = tt.addptr %0, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi64>
  // CHECK: tt.load [[P]] : tensor<128x!tt.ptr<f32>>
  %2 = tt.load %1 : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.load [[P]], %arg2 cacheModifier = ca : tensor<128x!tt.ptr<f32>>
  %3 = tt.load %1, %m cacheModifier = ca : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.load [[P]], %arg2, %arg3 cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<128x!tt.ptr<f32>>
  %4 = tt.load %1, %m, %z evictionPolicy = evict_first cacheModifier = cg {isVolatile = true} : tensor<128x!tt.ptr<f32>>
  // CHECK: [[B:%.*]] = tt.load %arg4 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x64xf16>>
  %5 = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x64xf16>>
  // CHECK: tt.store [[P]], %arg3 : tensor<128x!tt.ptr<f32>>
  tt.store %1, %z : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.store [[P]], %arg3, %arg2 cacheModifier = wt evictionPolicy = evict_last : tensor<128x!tt.ptr<f32>>
  tt.store %1, %z, %m cacheModifier = wt evictionPolicy = evict_last : tensor<128x!tt.ptr<f32>>
  // CHECK: tt.store %arg4, [[B]] {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32x64xf16>>
  tt.store %b, %5 {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32x64xf16>>
  tt.return
}

// CHECK-LABEL: @types
// CHECK-SAME: !tt.tensordesc<tensor<16xui8>>
tt.func @types(%d: !tt.tensordesc<tensor<16xui8>>) {
  tt.return
}
