// RUN: tessera-opt --split-input-file --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s

// One element after the other, where the mask allows, in the order asked for.

// CHECK-LABEL: llvm.func @masked
// CHECK:       %[[ON:.+]] = llvm.icmp "ne" %{{.+}}, %{{.+}} : i8
// CHECK:       llvm.cond_br %[[ON]], ^[[UPDATE:.+]], ^[[NEXT:bb[0-9]+]](%{{.+}} : i32)
// CHECK:     ^[[UPDATE]]:
// CHECK:       %[[OLD:.+]] = llvm.atomicrmw umax %{{.+}}, %{{.+}} release {alignment = 4 : i64} : !llvm.ptr, i32
// CHECK-NEXT:  llvm.br ^[[NEXT]](%[[OLD]] : i32)
tt.func public @masked(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %old = tt.atomic_rmw umax, release, gpu, %a, %r, %m : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  %t = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %b = tt.addptr %t, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %b, %old : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// A mask that is always true is no mask. Floats are added as floats, exchanged
// as bits; pointers are numbers.

// CHECK-LABEL: llvm.func @scalars
// CHECK-NOT:   llvm.cond_br {{.*}} : f32
// CHECK:       llvm.atomicrmw fadd %{{.+}}, %{{.+}} monotonic {alignment = 4 : i64} : !llvm.ptr, f32
// CHECK:       llvm.atomicrmw xchg %{{.+}}, %{{.+}} acq_rel {alignment = 4 : i64} : !llvm.ptr, i32
// CHECK:       llvm.cmpxchg %{{.+}}, %{{.+}}, %{{.+}} acquire acquire {alignment = 8 : i64} : !llvm.ptr, i64
// CHECK:       llvm.cmpxchg %{{.+}}, %{{.+}}, %{{.+}} release monotonic {alignment = 2 : i64} : !llvm.ptr, i16
tt.func public @scalars(%p: !tt.ptr<f32>, %l: !tt.ptr<i64>, %h: !tt.ptr<f16>, %x: f32, %y: i64, %z: f16) {
  %true = arith.constant true
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x, %true : (!tt.ptr<f32>, f32, i1) -> f32
  %1 = tt.atomic_rmw exch, acq_rel, sys, %p, %x, %true : (!tt.ptr<f32>, f32, i1) -> f32
  %2 = tt.atomic_cas acquire, cta, %l, %y, %y : (!tt.ptr<i64>, i64, i64) -> i64
  %3 = tt.atomic_cas release, gpu, %h, %z, %z : (!tt.ptr<f16>, f16, f16) -> f16
  tt.return
}

// -----

// Sums of small floats: in a loop until nobody came between.

// CHECK-LABEL: llvm.func @small_float
// CHECK:       %[[FIRST:.+]] = llvm.load %[[P:.+]] atomic monotonic {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK-NEXT:  llvm.br ^[[AGAIN:.+]](%[[FIRST]] : i16)
// CHECK:     ^[[AGAIN]](%[[OLD:.+]]: i16):
// CHECK:       llvm.fadd
// CHECK:       %[[BOTH:.+]] = llvm.cmpxchg %[[P]], %[[OLD]], %{{.+}} acq_rel acquire {alignment = 2 : i64} : !llvm.ptr, i16
// CHECK-DAG:   %[[NOW:.+]] = llvm.extractvalue %[[BOTH]][0]
// CHECK-DAG:   %[[DONE:.+]] = llvm.extractvalue %[[BOTH]][1]
// CHECK:       llvm.cond_br %[[DONE]], ^{{.+}}, ^[[AGAIN]](%[[NOW]] : i16)
tt.func public @small_float(%p: !tt.ptr<bf16>, %x: bf16, %m: i1) {
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %m : (!tt.ptr<bf16>, bf16, i1) -> bf16
  tt.return
}
