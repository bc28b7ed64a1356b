// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s

// RUN: tessera-opt --cpu-convert-ttir-to-llir="cpu=x86-64-v4 print-rows=true" %s | FileCheck %s --check-prefix=ROWS

// With print-rows an op prints one line under the lock of stdout.
// ROWS-DAG:   llvm.mlir.global private unnamed_addr constant @{{.+}}("pid (%u, %u, %u) 100%% x: \00")
// ROWS-DAG:   llvm.mlir.global private unnamed_addr constant @{{.+}}("%s%i\00")
// ROWS-DAG:   llvm.mlir.global private unnamed_addr constant @{{.+}}("%s0x%04x\00")
// ROWS-LABEL: llvm.func @say
// ROWS:       llvm.call @flockfile
// ROWS:       llvm.call @fflush
// ROWS-NEXT:  llvm.call @funlockfile

// Formats are constants of the module. A percent sign of the user's is none of
// printf's; indices are as wide as the largest; narrow numbers are widened as
// C does.

// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @{{.+}}("pid (%u, %u, %u) idx (%2u, %1u) 100%% x: (operand 0) %i\0A\00")
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @{{.+}}("pid (%u, %u, %u) idx () 100%% x: (operand 1) %f\0A\00")
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @{{.+}}("pid (%u, %u, %u) idx () h: 0x%04x\0A\00")
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @{{.+}}("pid (%u, %u, %u) here\0A\00")
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @[[$FAILED:.+]]("k.py:7: assertion failed in kernel 'say', program (%u, %u, %u), element (%u, %u): not 100%%\0A\00")
// CHECK-DAG: llvm.mlir.global external @stdout() {{.*}}: !llvm.ptr
// CHECK-DAG: llvm.func @printf(!llvm.ptr, ...) -> i32

// CHECK-LABEL: llvm.func @say
// CHECK:       llvm.sext %{{.+}} : i8 to i32
// CHECK:       llvm.call @printf(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) vararg({{.*}}) : (!llvm.ptr, i32, i32, i32, i32, i32, i32) -> i32
// CHECK:       llvm.fpext %{{.+}} : f32 to f64
// CHECK:       llvm.zext %{{.+}} : i16 to i32
// CHECK:       llvm.call @fflush
// CHECK:       llvm.vector.reduce.and
// CHECK:       llvm.mlir.addressof @[[$FAILED]]
// CHECK:       llvm.call @fprintf
// CHECK-NEXT:  llvm.br
tt.func public @say(%p: !tt.ptr<i8>, %f: bf16) {
  %c0 = arith.constant dense<0> : tensor<16x4xi8>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %b = tt.broadcast %e : tensor<16x1xi32> -> tensor<16x4xi32>
  %s = tt.splat %p : !tt.ptr<i8> -> tensor<16x4x!tt.ptr<i8>>
  %a = tt.addptr %s, %b : tensor<16x4x!tt.ptr<i8>>, tensor<16x4xi32>
  %x = tt.load %a : tensor<16x4x!tt.ptr<i8>>
  tt.print " 100% x: " {hex = false, isSigned = array<i32: 1, 0>} : %x, %f : tensor<16x4xi8>, bf16
  tt.print " h: " {hex = true, isSigned = array<i32: 0>} : %f : bf16
  tt.print " here" {hex = false, isSigned = array<i32>}
  %ok = arith.cmpi sgt, %x, %c0 : tensor<16x4xi8>
  tt.assert %ok, "not 100%" : tensor<16x4xi1> loc("k.py":7:3)
  tt.return
}
