// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer=float-extrema | FileCheck %s

// A target that has atomic maxima of floats.

// CHECK-LABEL: tt.func public @float_max
// CHECK: tt.atomic_rmw max, release, gpu, {{.*}} -> tensor<16xf16>
tt.func public @float_max(%d: !tt.tensordesc<tensor<16xf16>>, %i: i32, %v: tensor<16xf16>) {
  tt.descriptor_reduce max, %d[%i], %v : !tt.tensordesc<tensor<16xf16>>, tensor<16xf16>
  tt.return
}
