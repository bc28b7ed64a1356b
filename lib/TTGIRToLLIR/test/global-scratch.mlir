// RUN: tessera-opt %s --ttg-allocate-global-scratch --null-convert-ttgir-to-llir | FileCheck %s

// The first hidden pointer, and this block's part: (z * ny + y) * nx + x parts of 256 bytes.

// CHECK-LABEL: llvm.func @scratch
// CHECK-SAME: %[[SCRATCH:arg1]]: !llvm.ptr<1>, %arg2: !llvm.ptr<1>
// CHECK: llvm.mlir.constant(256 : i64)
// CHECK: llvm.getelementptr %[[SCRATCH]]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(256 : i64)
// CHECK-NEXT: %[[HERE:.*]] = llvm.mul %{{.*}}, %[[BYTES]]
// CHECK-NEXT: %[[OFFSET:.*]] = llvm.mlir.constant(128 : i64)
// CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[HERE]], %[[OFFSET]]
// CHECK: llvm.getelementptr %[[SCRATCH]][%[[SUM]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {
tt.func public @scratch(%x: i8) {
  %a = ttg.global_scratch_alloc {alignment = 64 : i32, nbytes = 100 : i32} : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  tt.store %a, %x : !tt.ptr<i8>
  tt.store %b, %x : !tt.ptr<i8>
  tt.return
}
}
