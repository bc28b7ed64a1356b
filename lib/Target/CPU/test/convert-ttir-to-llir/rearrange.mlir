// RUN: tessera-opt --split-input-file --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s

// Indices wrap around: nothing outside of the tile is read. Four bytes are
// gathered by vectors, one byte goes alone.

// CHECK-LABEL: llvm.func @gather
// CHECK:       llvm.and %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK:       llvm.intr.masked.gather {{.*}} -> vector<16xf32>
// CHECK:       llvm.and %{{.+}}, %{{.+}} : i32
// CHECK:       llvm.load {{.*}} -> i8
// CHECK-NOT:   masked.gather
// CHECK:       llvm.return
tt.func public @gather(%p: !tt.ptr<f32>, %q: !tt.ptr<i8>, %i: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pa = tt.addptr %ps, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qs = tt.splat %q : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %qa = tt.addptr %qs, %r : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ia = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %pa : tensor<64x!tt.ptr<f32>>
  %y = tt.load %qa : tensor<64x!tt.ptr<i8>>
  %j = tt.load %ia : tensor<64x!tt.ptr<i32>>
  %g = tt.gather %x[%j] {axis = 0 : i32} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  tt.store %pa, %g : tensor<64x!tt.ptr<f32>>
  %h = tt.gather %y[%j] {axis = 0 : i32} : (tensor<64xi8>, tensor<64xi32>) -> tensor<64xi8>
  tt.store %qa, %h : tensor<64x!tt.ptr<i8>>
  tt.return
}

// -----

// Four copies of few bins; what is no bin is counted where nobody looks.

// CHECK-LABEL: llvm.func @few_bins
// CHECK-COUNT-2: "llvm.intr.memset"
// CHECK-COUNT-4: llvm.icmp "ult" %{{.+}}, %{{.+}} : i64
// CHECK:       llvm.load {{.*}} -> vector<16xi32>
// CHECK:       llvm.return

// CHECK-LABEL: llvm.func @many_bins
// CHECK-COUNT-1: "llvm.intr.memset"
// CHECK-COUNT-1: llvm.icmp "ult" %{{.+}}, %{{.+}} : i64
// CHECK-NOT:   llvm.icmp "ult" {{.*}} : i64
// CHECK:       llvm.return
tt.func public @few_bins(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<i32>>
  %h = tt.histogram %x : tensor<1024xi32> -> tensor<16xi32>
  %b = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %t = tt.splat %q : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %c = tt.addptr %t, %b : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %c, %h : tensor<16x!tt.ptr<i32>>
  tt.return
}
tt.func public @many_bins(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %x = tt.load %a : tensor<32x!tt.ptr<i32>>
  %h = tt.histogram %x : tensor<32xi32> -> tensor<32xi32>
  %t = tt.splat %q : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %c = tt.addptr %t, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %c, %h : tensor<32x!tt.ptr<i32>>
  tt.return
}
