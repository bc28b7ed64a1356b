// RUN: tessera-opt %s --ttg-plan-cta --split-input-file | FileCheck %s
// RUN: tessera-opt %s --ttg-plan-cta --ttg-remove-layout-conversions --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: tessera-opt %s --ttg-plan-cta --split-input-file --remark-format=emitRemark --remarks-filter=ttg-plan-cta 2>&1 | FileCheck %s --check-prefix=REMARK

// The remarks: how the CTAs share a tensor, and why.
// REMARK: [Passed] split {{.*}}Reason="'tt.reduce' combines elements along dim 0", Remark="CTAs split dim 1"
// REMARK: [Passed] split {{.*}}Reason="'tt.scan' combines elements along dim 0", Remark="each CTA has the whole tensor"
// REMARK: [Passed] split {{.*}}Reason="'tt.gather' needs all elements", Remark="each CTA has the whole tensor"
// REMARK: [Passed] split {{.*}}Reason="each CTA loads what its dots and reductions need, instead of exchanging it", Remark="CTAs split dim 1"

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#d1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
// Blocks that share the rows cannot add them up: columns are shared instead. The load
// brings to each block what it adds.

// CHECK-DAG: #[[$COLS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[}}0, 1]]}>
// CHECK-LABEL: tt.func public @columns
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[$COLS]]>
// CHECK: "tt.reduce"
// CHECK: (tensor<64x64xf32, #[[$COLS]]>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #[[$COLS]]}>>
// KEPT-LABEL: tt.func public @columns
// KEPT: #[[C:.*]]>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #[[C]]}>>
tt.func public @columns(%p: tensor<64x64x!tt.ptr<f32>, #rows>, %q: tensor<64x!tt.ptr<f32>, #d1>) {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x64xf32, #rows>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #rows}>>
  %d = ttg.convert_layout %r : tensor<64xf32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<64xf32, #d1>
  tt.store %q, %d : tensor<64x!tt.ptr<f32>, #d1>
  tt.return
}

// Declines: along columns each block has all it needs.

// CHECK-LABEL: tt.func public @rows
// CHECK-NOT: ttg.convert_layout
// CHECK: "tt.reduce"
tt.func public @rows(%x: tensor<64x64xf32, #rows>, %q: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>) {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<64x64xf32, #rows>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  tt.store %q, %r : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #rows}>>
  tt.return
}

// Where there is no other dimension every block has it whole.

// CHECK-LABEL: tt.func public @whole
// CHECK: %[[S:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<64xf32, #[[W:.*]]>
// CHECK: "tt.scan"(%[[S]])
// CHECK: -> tensor<64xf32, #[[W]]>
// CHECK: ttg.convert_layout
// CHECK: %[[G:.*]] = ttg.convert_layout
// CHECK: %[[I:.*]] = ttg.convert_layout %arg1
// CHECK: tt.gather %[[G]][%[[I]]]
// CHECK: %[[H:.*]] = ttg.convert_layout %arg1
// CHECK: tt.histogram %[[H]]
tt.func public @whole(%x: tensor<64xf32, #d1>, %i: tensor<64xi32, #d1>, %q: tensor<64x!tt.ptr<f32>, #d1>, %h: tensor<64x!tt.ptr<i32>, #d1>) {
  %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<64xf32, #d1>) -> tensor<64xf32, #d1>
  %g = tt.gather %s[%i] {axis = 0 : i32} : (tensor<64xf32, #d1>, tensor<64xi32, #d1>) -> tensor<64xf32, #d1>
  %n = tt.histogram %i : tensor<64xi32, #d1> -> tensor<64xi32, #d1>
  tt.store %q, %g : tensor<64x!tt.ptr<f32>, #d1>
  tt.store %h, %n : tensor<64x!tt.ptr<i32>, #d1>
  tt.return
}
}

// -----

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], CGALayout = [[1, 0]], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32} {
// Each block computes half of the rows: it reads its half of A, and all of B.

// CHECK-DAG: #[[$L:.*]] = #ttg.blocked<{{.*}}CGALayout = {{\[\[}}1, 0]]}>
// CHECK-DAG: #[[$W:.*]] = #ttg.blocked<{{.*}}CGALayout = {{\[\[}}0, 0]]}>
// CHECK-LABEL: tt.func public @dot
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[$L]]>
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[$W]]>
tt.func public @dot(%p: tensor<64x64x!tt.ptr<f16>, #l>, %q: tensor<64x64x!tt.ptr<f16>, #l>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #l>
  %xa = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %yb = ttg.convert_layout %y : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
  %d = tt.dot %xa, %yb, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}
