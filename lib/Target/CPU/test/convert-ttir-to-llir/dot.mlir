// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=icelake-server --split-input-file %s | FileCheck %s
// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v3 --split-input-file %s | FileCheck %s --check-prefix=AVX2
// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v4 --split-input-file %s | FileCheck %s --check-prefix=NOVNNI

// 4 rows of 4 vectors, two steps of K in the loop's body: 32 multiply-adds
// whatever the shape. B lies close enough to be read in place.

// CHECK-LABEL: llvm.func @floats(
// CHECK: llvm.br ^bb{{[0-9]+}}({{.*}}vector<16xf32>
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-COUNT-32: llvm.intr.fmuladd{{.*}} vector<16xf32>
// CHECK-NOT: llvm.intr.fmuladd
// AVX2-LABEL: llvm.func @floats(
// AVX2-COUNT-16: llvm.intr.fmuladd{{.*}} vector<8xf32>
// AVX2-NOT: llvm.intr.fmuladd
tt.func public @floats(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %row = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %row {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %left = tt.splat %a : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %right = tt.splat %b : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %out = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %wide = arith.constant dense<64> : tensor<64x1xi32>
  %scaled = arith.muli %rows, %wide : tensor<64x1xi32>
  %r = tt.broadcast %scaled : tensor<64x1xi32> -> tensor<64x64xi32>
  %s = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %s : tensor<64x64xi32>
  %places = tt.addptr %out, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %left : tensor<64x32x!tt.ptr<f32>>
  %y = tt.load %right : tensor<32x64x!tt.ptr<f32>>
  %d = tt.dot %x, %y, %zero : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  tt.store %places, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Larger shapes change no more than the bounds. Rows of B that are far apart
// go through a panel.

// CHECK-LABEL: llvm.func @wide(
// AVX2-LABEL: llvm.func @wide(
// CHECK: llvm.store {{.*}} {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-COUNT-32: llvm.intr.fmuladd{{.*}} vector<16xf32>
// CHECK-NOT: llvm.intr.fmuladd
tt.func public @wide(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<128x512xf32>
  %left = tt.splat %a : !tt.ptr<f32> -> tensor<128x1024x!tt.ptr<f32>>
  %right = tt.splat %a : !tt.ptr<f32> -> tensor<1024x512x!tt.ptr<f32>>
  %out = tt.splat %c : !tt.ptr<f32> -> tensor<128x512x!tt.ptr<f32>>
  %x = tt.load %left : tensor<128x1024x!tt.ptr<f32>>
  %y = tt.load %right : tensor<1024x512x!tt.ptr<f32>>
  %d = tt.dot %x, %y, %zero : tensor<128x1024xf32> * tensor<1024x512xf32> -> tensor<128x512xf32>
  tt.store %out, %d : tensor<128x512x!tt.ptr<f32>>
  tt.return
}

// -----

// Bytes: A moves up by 128, four rows of B make one, and what A has too much
// is taken away. Without the instruction, pairs of 16 bits.

// CHECK-LABEL: llvm.func @bytes(
// CHECK: llvm.mlir.constant(dense<-128> : vector<64xi8>)
// CHECK: llvm.xor
// CHECK: llvm.shufflevector {{.*}} : vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: llvm.sub {{.*}} : vector<16xi32>
// CHECK-COUNT-32: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: vpdpbusd
// AVX2-LABEL: llvm.func @bytes(
// AVX2: llvm.sext {{.*}} : vector<{{[0-9]+}}xi8> to vector<{{[0-9]+}}xi16>
// AVX2-COUNT-16: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// NOVNNI-LABEL: llvm.func @bytes(
// NOVNNI-COUNT-32: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
tt.func public @bytes(%a: !tt.ptr<i8>, %c: !tt.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %left = tt.splat %a : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %out = tt.splat %c : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %x = tt.load %left : tensor<64x64x!tt.ptr<i8>>
  %d = tt.dot %x, %x, %zero : tensor<64x64xi8> * tensor<64x64xi8> -> tensor<64x64xi32>
  tt.store %out, %d : tensor<64x64x!tt.ptr<i32>>
  tt.return
}

// -----

// Small floats are widened once, before; f16 results are rounded once, after.

// CHECK-LABEL: llvm.func @halves(
// CHECK: llvm.fpext {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: llvm.fpext {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: llvm.intr.fmuladd{{.*}} vector<16xf32>
// CHECK-NOT: llvm.fpext
// CHECK: llvm.fptrunc {{.*}} : vector<16xf32> to vector<16xf16>
// CHECK: llvm.store {{.*}} : vector<16xi16>
tt.func public @halves(%a: !tt.ptr<f16>, %c: !tt.ptr<f16>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf16>
  %left = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %out = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %x = tt.load %left : tensor<64x64x!tt.ptr<f16>>
  %d = tt.dot %x, %x, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf16>
  tt.store %out, %d : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

// -----

// A block with few rows keeps more sums, each of every other step.

// CHECK-LABEL: llvm.func @row(
// CHECK-COUNT-8: llvm.intr.fmuladd{{.*}} vector<16xf32>
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: llvm.fadd {{.*}} : vector<16xf32>
tt.func public @row(%a: !tt.ptr<f32>, %c: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<1x64xf32>
  %left = tt.splat %a : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
  %right = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %out = tt.splat %c : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
  %x = tt.load %left : tensor<1x64x!tt.ptr<f32>>
  %y = tt.load %right : tensor<64x64x!tt.ptr<f32>>
  %d = tt.dot %x, %y, %zero : tensor<1x64xf32> * tensor<64x64xf32> -> tensor<1x64xf32>
  tt.store %out, %d : tensor<1x64x!tt.ptr<f32>>
  tt.return
}
