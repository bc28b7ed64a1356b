// RUN: tessera-opt %s --allow-unregistered-dialect --nvidia-hoist-descriptors --split-input-file | FileCheck %s
// RUN: tessera-opt %s --allow-unregistered-dialect --nvidia-hoist-descriptors --split-input-file --remark-format=emitRemark --remarks-filter=nvidia-hoist-descriptors 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] tensor-map | Category:nvidia-hoist-descriptors
// REMARK-DAG: [Missed] tensor-map | Category:nvidia-hoist-descriptors | {{.*}}Reason="the base comes from 'tt.load', not from arguments alone"
// REMARK-DAG: [Missed] tensor-map | Category:nvidia-hoist-descriptors | {{.*}}Reason="an extent comes from 'tt.get_program_id', not from arguments alone"
// REMARK-DAG: [Missed] tensor-map | Category:nvidia-hoist-descriptors | {{.*}}Reason="a stride comes from a loop or a branch, not from arguments alone"
// REMARK-DAG: [Missed] tensor-map | Category:nvidia-hoist-descriptors | {{.*}}Reason="no tensor map copies such blocks, or fills them with NaN"

#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Dimensions are counted from the innermost, and strides are in bytes. Two equal descriptors are one argument; one that fills with
// NaN is another.

// CHECK-LABEL: tt.func public @acts
// CHECK-SAME: %arg3: i64,
// CHECK-SAME: %arg4: !tt.tensordesc<tensor<64x64xf16, #shared>> {tt.tensor_map = {base = "arg0", extents = ["arg2", "arg1"], fill = "zero", strides = {{\[\[}}"*", "arg3", 2]]}},
// CHECK-SAME: %arg5: !tt.tensordesc<tensor<64x64xf16, #shared>> {tt.tensor_map = {base = "arg0", extents = ["arg2", "arg1"], fill = "nan", strides = {{\[\[}}"*", "arg3", 2]]}})
// CHECK-NOT: tt.make_tensor_descriptor
// CHECK: "use"(%arg4, %arg4, %arg5)
tt.func public @acts(%a: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%m, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
  %e = tt.make_tensor_descriptor %a, [%m, %n], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
  %f = tt.make_tensor_descriptor %a, [%m, %n], [%s, %one] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
  "use"(%d, %e, %f) : (!tt.tensordesc<tensor<64x64xf16, #wide>>, !tt.tensordesc<tensor<64x64xf16, #wide>>, !tt.tensordesc<tensor<64x64xf16, #wide>>) -> ()
  tt.return
}

// Arithmetic in 32 bits must not wrap; offsets of the base are bytes; hints are looked through.

// CHECK-LABEL: tt.func public @arithmetic
// CHECK-SAME: {tt.tensor_map = {base = "arg0", extents = [2147483647, ["i32", ["/", ["i32", ["+", "arg1", 63]], 64]]], fill = "zero", offset = ["*", ["i32", ["*", "arg1", "arg2"]], 2], strides = {{\[\[}}"*", ["u32", "arg2"], 2]]}})
// CHECK-NOT: tt.make_tensor_descriptor
tt.func public @arithmetic(%a: !tt.ptr<f16>, %m: i32, %s: i32) {
  %one = arith.constant 1 : i64
  %most = arith.constant 2147483647 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %up = arith.addi %m, %c63 : i32
  %count = arith.divsi %up, %c64 : i32
  %offset = arith.muli %m, %s : i32
  %base = tt.addptr %a, %offset : !tt.ptr<f16>, i32
  %hinted = tt.bitcast %base {tt.divisibility = 16 : i32} : !tt.ptr<f16> -> !tt.ptr<f16>
  %stride = arith.extui %s : i32 to i64
  %d = tt.make_tensor_descriptor %hinted, [%count, %most], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
  "use"(%d) : (!tt.tensordesc<tensor<64x64xf16, #wide>>) -> ()
  tt.return
}

// Declines: operands from memory, from the program's number, from a loop; fp8 filled with NaN; and descriptors without an encoding.

// CHECK-LABEL: tt.func public @declines
// CHECK-SAME: (%arg0: !tt.ptr<f16>, %arg1: !tt.ptr<!tt.ptr<f16>>, %arg2: i32, %arg3: i64, %arg4: !tt.ptr<f8E4M3FN>)
// CHECK-COUNT-5: tt.make_tensor_descriptor
tt.func public @declines(%a: !tt.ptr<f16>, %list: !tt.ptr<!tt.ptr<f16>>, %m: i32, %s: i64, %q: !tt.ptr<f8E4M3FN>) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.load %list : !tt.ptr<!tt.ptr<f16>>
  %loaded = tt.make_tensor_descriptor %p, [%m, %m], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
  %pid = tt.get_program_id x : i32
  %own = tt.make_tensor_descriptor %a, [%pid, %m], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
  %nan = tt.make_tensor_descriptor %q, [%m, %m], [%s, %one] {padding = 2 : i32} : !tt.ptr<f8E4M3FN>, !tt.tensordesc<tensor<64x64xf8E4M3FN, #bytes>>
  %plain = tt.make_tensor_descriptor %a, [%m, %m], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  "use"(%loaded, %own, %nan, %plain) : (!tt.tensordesc<tensor<64x64xf16, #wide>>, !tt.tensordesc<tensor<64x64xf16, #wide>>, !tt.tensordesc<tensor<64x64xf8E4M3FN, #bytes>>, !tt.tensordesc<tensor<64x64xf16>>) -> ()
  %last = scf.for %i = %c0 to %m step %c1 iter_args(%t = %s) -> (i64) : i32 {
    %d = tt.make_tensor_descriptor %a, [%m, %m], [%t, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16, #wide>>
    "use"(%d) : (!tt.tensordesc<tensor<64x64xf16, #wide>>) -> ()
    %next = arith.addi %t, %one : i64
    scf.yield %next : i64
  }
  tt.return
}
}
