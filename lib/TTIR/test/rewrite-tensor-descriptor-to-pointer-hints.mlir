// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer=hints | FileCheck %s
// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer | FileCheck %s --check-prefix PLAIN
// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer=mark-accesses | FileCheck %s --check-prefix MARKED

// A descriptor promises that its base and its strides, but for the last, are multiples of 16 bytes: 8 of
// f16. With `hints` that is said of what a kernel makes a descriptor of; a constant says it itself.
// CHECK-LABEL: tt.func public @made
// CHECK-SAME:    %[[BASE:.*]]: !tt.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64)
// CHECK:         tt.bitcast %[[BASE]] {tt.divisibility = 16 : i32} : !tt.ptr<f16> -> !tt.ptr<f16>
// CHECK:         tt.bitcast %[[S]] {tt.divisibility = 8 : i32} : i64 -> i64
// CHECK-NOT:     tt.bitcast
// PLAIN-NOT:   tt.bitcast
tt.func public @made(%base: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64) -> tensor<32x64xf16> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%s, %c1] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
  %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  tt.return %v : tensor<32x64xf16>
}

// With `mark-accesses` loads and stores of blocks say that they went through a descriptor, others do not.
// MARKED:         tt.load {{.*}} {tt.descriptor_access}
// MARKED-LABEL: tt.func public @stored
// MARKED:         tt.store {{.*}} {tt.descriptor_access}
// MARKED:         tt.store
// MARKED-NOT:     tt.descriptor_access
// CHECK-LABEL: tt.func public @stored
// PLAIN-LABEL:  tt.func public @stored
// PLAIN-NOT:      tt.descriptor_access
tt.func public @stored(%base: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %v: tensor<32x64xf16>, %x: f16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%s, %c1] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<32x64xf16>>, tensor<32x64xf16>
  tt.store %base, %x : !tt.ptr<f16>
  tt.return
}
