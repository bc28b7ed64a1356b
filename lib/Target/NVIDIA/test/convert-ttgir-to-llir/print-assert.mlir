// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir | FileCheck %s
// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir=print-every-thread | FileCheck %s --check-prefix=EVERY

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, ttg.target = "cuda:90"} {

// CHECK-DAG: llvm.mlir.global private constant @[[$SCALAR:.*]]("pid (%u, %u, %u) idx () n 100%%: %i\0A\00") {addr_space = 1 : i32
// CHECK-DAG: llvm.mlir.global private constant @[[$TENSOR:.*]]("pid (%u, %u, %u) idx (%2u) x: %f\0A\00") {addr_space = 1 : i32
// CHECK-DAG: llvm.mlir.global private constant @[[$MESSAGE:.*]]("x > 0 (called from k.py:20)\00")
// CHECK-DAG: llvm.mlir.global private constant @[[$FILE:.*]]("sums.py\00")
// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)

// A scalar is printed by the first thread of the program.

// CHECK-LABEL: llvm.func @scalar
// CHECK: %[[BUFFER:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, i32, i32)>
// CHECK: llvm.cond_br
// CHECK: llvm.store %arg0
// CHECK: llvm.mlir.addressof @[[$SCALAR]]
// CHECK: llvm.call @vprintf(%{{.*}}, %[[BUFFER]])
// EVERY-LABEL: llvm.func @scalar
// EVERY-NOT: llvm.cond_br
// EVERY: llvm.call @vprintf
// EVERY: llvm.return
tt.func public @scalar(%n: i32) {
  tt.print " n 100%: " {hex = false, isSigned = array<i32: 1>} : %n : i32
  tt.return
}

// 64 elements and 128 places for them: the second warp has copies and prints nothing.

// CHECK-LABEL: llvm.func @tensor
// CHECK: %[[COPIES:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: llvm.and %{{.*}}, %[[COPIES]]
// CHECK: llvm.cond_br
// CHECK: llvm.fpext %{{.*}} : f32 to f64
// CHECK: llvm.mlir.addressof @[[$TENSOR]]
// CHECK: llvm.call @vprintf
// CHECK: llvm.call @vprintf
// CHECK-NOT: llvm.call
// CHECK: llvm.return
// EVERY-LABEL: llvm.func @tensor
// EVERY-NOT: llvm.cond_br
// EVERY: llvm.call @vprintf
// EVERY: llvm.call @vprintf
// EVERY: llvm.return
tt.func public @tensor(%x: tensor<64xf16, #b>) {
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<64xf16, #b>
  tt.return
}

// CHECK-LABEL: llvm.func @assertion
// CHECK: %[[BOTH:.*]] = llvm.and %arg0, %arg1 : i1
// CHECK: llvm.cond_br
// CHECK: %[[LINE:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: llvm.mlir.addressof @[[$MESSAGE]]
// CHECK: llvm.mlir.addressof @[[$FILE]]
// CHECK: llvm.call @__assertfail(%{{.*}}, %{{.*}}, %[[LINE]],
tt.func public @assertion(%c: tensor<128xi1, #b>) {
  tt.assert %c, "x > 0" : tensor<128xi1, #b> loc(callsite("sums.py":8:1 at "k.py":20:3))
  tt.return
}
}
