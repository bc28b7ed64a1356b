// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=icelake-server --split-input-file %s | FileCheck %s

// One loop over the steps. Bits 0 to 3 are within vectors of 16 lanes, those
// above between two of them; of the former only bits 0 and 3 occur.

// CHECK: llvm.mlir.global private unnamed_addr constant @[[TABLE:.*]](dense<[2051, 67588, 2048]> : tensor<3xi32>)
// CHECK-LABEL: llvm.func @sort(
// CHECK: llvm.intr.memcpy
// CHECK-COUNT-2: llvm.shufflevector {{.*}} : vector<16xf32>
// CHECK-NOT: llvm.shufflevector {{.*}} : vector<16xf32>
// CHECK: llvm.fcmp "ogt" {{.*}} : vector<16xf32>
// CHECK: llvm.fcmp "ogt" {{.*}} : vector<16xf32>
tt.func public @sort(%p: !tt.ptr<f32>) {
  %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %at = tt.addptr %base, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %at : tensor<256x!tt.ptr<f32>>
  %y = ttc.exchange %x {bits = array<i32: 3, 4, 0>, turns = array<i32: 8, 8, 8>, downs = array<i1: false, true, false>} : tensor<256xf32>
  tt.store %at, %y : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// Two bytes: no vectors.

// CHECK-LABEL: llvm.func @pair(
// CHECK-NOT: llvm.shufflevector
// CHECK: llvm.icmp "ugt" {{.*}} : i8
// CHECK: llvm.icmp "ugt" {{.*}} : i8
tt.func public @pair(%p: !tt.ptr<i8>) {
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %base = tt.splat %p : !tt.ptr<i8> -> tensor<2x!tt.ptr<i8>>
  %at = tt.addptr %base, %range : tensor<2x!tt.ptr<i8>>, tensor<2xi32>
  %x = tt.load %at : tensor<2x!tt.ptr<i8>>
  %y = ttc.exchange %x {bits = array<i32: 0>, turns = array<i32: 1>, downs = array<i1: false>, isUnsigned} : tensor<2xi8>
  tt.store %at, %y : tensor<2x!tt.ptr<i8>>
  tt.return
}
