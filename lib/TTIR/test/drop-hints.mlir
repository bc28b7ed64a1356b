// RUN: tessera-opt %s --tt-drop-hints | FileCheck %s
// RUN: tessera-opt %s --canonicalize | FileCheck %s --check-prefix KEPT

// A cast to the value's own type goes; nothing else does. Without the pass it stays for what
// it promises, and goes where it promises nothing.
// CHECK-LABEL: tt.func @casts
// CHECK-SAME:    %[[P:.*]]: !tt.ptr<f32>
// CHECK-NOT:     !tt.ptr<f32> -> !tt.ptr<f32>
// CHECK:         %[[A:.*]] = tt.load %[[P]]
// CHECK:         %[[B:.*]] = tt.load %[[P]]
// CHECK:         %[[I:.*]] = tt.bitcast %[[A]] : f32 -> i32
// CHECK:         tt.return %[[I]], %[[B]]
// KEPT-LABEL: tt.func @casts
// KEPT-SAME:    %[[P:.*]]: !tt.ptr<f32>
// KEPT:         %[[Q:.*]] = tt.bitcast %[[P]] {tt.divisibility = dense<16> : tensor<1xi32>}
// KEPT:         tt.load %[[Q]]
// KEPT:         tt.load %[[P]]
tt.func @casts(%p: !tt.ptr<f32>) -> (i32, f32) {
  %q = tt.bitcast %p {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32> -> !tt.ptr<f32>
  %a = tt.load %q : !tt.ptr<f32>
  %r = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32>
  %b = tt.load %r : !tt.ptr<f32>
  %i = tt.bitcast %a : f32 -> i32
  tt.return %i, %b : i32, f32
}

// CHECK-LABEL: tt.func @nothing_added
// CHECK:         tt.addptr
// KEPT-LABEL: tt.func @nothing_added
// KEPT:         tt.addptr {{.*}} {tt.divisibility = dense<16> : tensor<1xi32>}
tt.func @nothing_added(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  %zero = arith.constant 0 : i32
  %q = tt.addptr %p, %zero {tt.divisibility = dense<16> : tensor<1xi32>} : !tt.ptr<f32>, i32
  tt.return %q : !tt.ptr<f32>
}
