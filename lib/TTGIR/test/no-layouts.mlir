// Passes that need layouts say so where there are none, instead of crashing. Those before are free to run.
// RUN: not tessera-opt %s --ttg-allocate-shared-memory 2>&1 | FileCheck %s
// RUN: not tessera-opt %s --ttg-coalesce 2>&1 | FileCheck %s
// RUN: not tessera-opt %s --ttg-remove-layout-conversions 2>&1 | FileCheck %s
// RUN: not tessera-opt %s --ttg-insert-barriers 2>&1 | FileCheck %s
// RUN: not tessera-opt %s --null-convert-ttgir-to-llir 2>&1 | FileCheck %s
// RUN: not tessera-opt %s --canonicalize --ttg-plan-cta 2>&1 | FileCheck %s
// RUN: tessera-opt %s --ttg-f32-dot-tc --ttg-decompose-scaled-dot
// RUN: tessera-opt %s --convert-ttir-to-ttgir=target=null --ttg-coalesce --ttg-remove-layout-conversions

// CHECK: error: --{{.*}} needs a layout for every tensor; --convert-ttir-to-ttgir assigns them
tt.func public @sum(%p: !tt.ptr<f32>, %x: tensor<64x64xf32>) {
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  %all = "tt.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64xf32>) -> f32
  tt.store %p, %all : !tt.ptr<f32>
  tt.return
}
