// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s
// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v3 %s | FileCheck %s --check-prefix=AVX2

// The whole path of the kernel everybody starts from: the program loop, the
// guards, vectors of the processor's width, three kinds of body.

// CHECK-LABEL: llvm.func @add(
// CHECK-SAME: !llvm.ptr {llvm.noalias, llvm.readonly}
// CHECK-SAME: i64, %{{.*}}: i64) -> i32
// CHECK-SAME: ["prefer-vector-width", "512"]
// AVX2: ["prefer-vector-width", "256"]

// Guards: offsets below 2^31, and output apart from both inputs.
// CHECK: llvm.mlir.constant(2147483647 : i64)
// CHECK: llvm.icmp "sle"
// CHECK: llvm.icmp "ule"

// The slow twin, one element at a time.
// CHECK: llvm.call @malloc
// CHECK: llvm.intr.masked.load {{.*}} -> vector<1xf32>
// CHECK: llvm.call @free

// Full chunks have no masks.
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<32xf32>
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<32xf32>
// CHECK: llvm.fadd {{.*}} {fastmathFlags = #llvm.fastmath<contract>} : vector<32xf32>
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<32xf32>
// The same for launches larger than the caches.
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<32xf32>
// The edges.
// CHECK: llvm.intr.masked.load {{.*}} -> vector<32xf32>
// CHECK: llvm.intr.masked.store {{.*}} : vector<32xf32>
// CHECK: llvm.x86.sse.sfence

// AVX2: llvm.fadd {{.*}} : vector<16xf32>

// No tensor is left, and nothing is repeated per element.
// CHECK-NOT: tensor<
// CHECK-NOT: tt.

tt.func public @add(%xp: !tt.ptr<f32>, %yp: !tt.ptr<f32>, %op: !tt.ptr<f32>, %n: i32) {
  %size = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %size : i32
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %start : i32 -> tensor<1024xi32>
  %offs = arith.addi %s, %range : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xa = tt.addptr %xs, %offs : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %xa, %mask : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %yp : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ya = tt.addptr %ys, %offs : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %y = tt.load %ya, %mask : tensor<1024x!tt.ptr<f32>>
  %r = arith.addf %x, %y : tensor<1024xf32>
  %os = tt.splat %op : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %oa = tt.addptr %os, %offs : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %oa, %r, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
}
