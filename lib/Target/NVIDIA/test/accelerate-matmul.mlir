// RUN: tessera-opt %s --nvidia-accelerate-matmul=wgmma=false --split-input-file | FileCheck %s
// RUN: tessera-opt %s --nvidia-accelerate-matmul=wgmma=false --split-input-file --remark-format=emitRemark --remarks-filter=nvidia-accelerate-matmul 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Missed] mma {{.*}}Reason="the option wgmma is off", Remark="MMA version 3 is not used"
// REMARK: [Passed] mma {{.*}}Reason="the chip multiplies f16 and adds f32; 2x2 warps share the result", Remark="the dot of f16 uses MMA version 2, m16n8k16"
// REMARK: [Missed] mma {{.*}}Reason="the chip has no instruction for these types and this precision", Remark="the dot of f32 uses multiply-adds, no MMA version"
// REMARK: [Missed] mma {{.*}}Reason="K is smaller than the instruction's"

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// Warps share the tile as a square; conversions for the fma are forgotten.

// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>
// CHECK-LABEL: tt.func @square
// CHECK-SAME: %[[A:.*]]: tensor<64x64xf16, #[[$L:.*]]>, %[[B:.*]]: tensor<64x64xf16, #[[$L]]>, %[[C:.*]]: tensor<64x64xf32, #[[$R:.*]]>)
// CHECK: %[[X:.*]] = ttg.convert_layout %[[A]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>
// CHECK: %[[Y:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>>
// CHECK: %[[Z:.*]] = ttg.convert_layout %[[C]] : {{.*}} -> tensor<64x64xf32, #[[$MMA]]>
// CHECK: %[[D:.*]] = tt.dot %[[X]], %[[Y]], %[[Z]]
// CHECK: ttg.convert_layout %[[D]] : tensor<64x64xf32, #[[$MMA]]> -> tensor<64x64xf32, #[[$R]]>
tt.func @square(%a: tensor<64x64xf16, #l>, %b: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %0 = ttg.convert_layout %a : tensor<64x64xf16, #l> -> tensor<64x64xf16, #x>
  %1 = ttg.convert_layout %b : tensor<64x64xf16, #l> -> tensor<64x64xf16, #y>
  %d = tt.dot %0, %1, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// One product feeds the other: rows stay in their warp in both.

// CHECK-LABEL: tt.func @chain
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$ROWS]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$ROWS]]>
tt.func @chain(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  %h = arith.truncf %d : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
  %p = ttg.convert_layout %h : tensor<64x64xf16, #b> -> tensor<64x64xf16, #x>
  %e = tt.dot %p, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %e : tensor<64x64xf32, #b>
}

// So they do where the first product is the sum of a loop, and the second comes after it.

// CHECK-LABEL: tt.func @chain_after_loop
// CHECK: scf.for
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$ROWS]]>
// CHECK: scf.yield
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$ROWS]]>
tt.func @chain_after_loop(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf32, #b>, %n: i32) -> tensor<64x64xf32, #b> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> tensor<64x64xf32, #b> : i32 {
    %d = tt.dot %a, %b, %s : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
    scf.yield %d : tensor<64x64xf32, #b>
  }
  %h = arith.truncf %sum : tensor<64x64xf32, #b> to tensor<64x64xf16, #b>
  %p = ttg.convert_layout %h : tensor<64x64xf16, #b> -> tensor<64x64xf16, #x>
  %e = tt.dot %p, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %e : tensor<64x64xf32, #b>
}

// tf32 is allowed: words along K. Otherwise f32 stays with fma.

// CHECK-LABEL: tt.func @floats
// CHECK: tt.dot {{.*}}, inputPrecision = tf32 : {{.*}}kWidth = 1}>> -> tensor<64x64xf32, #[[$MMA]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$R]]>
tt.func @floats(%a: tensor<64x64xf32, #x>, %b: tensor<64x64xf32, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> tensor<64x64xf32, #b>
  %e = tt.dot %a, %b, %d : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %e : tensor<64x64xf32, #b>
}

// No instruction for fp8 here: bytes travel, halves are multiplied.

// CHECK-LABEL: tt.func @fp8
// CHECK: %[[A:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 4}>>
// CHECK: %[[X:.*]] = tt.fp_to_fp %[[A]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 4}>>
// CHECK: tt.dot %[[X]]
tt.func @fp8(%a: tensor<64x64xf8E4M3FN, #x>, %b: tensor<64x64xf8E5M2, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN, #x> * tensor<64x64xf8E5M2, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// An operand that was loaded as bytes: four of them side by side.

// CHECK-LABEL: tt.func @widened
// CHECK: tt.dot {{.*}}kWidth = 4}>> * {{.*}}kWidth = 4}>> -> tensor<64x64xf32, #[[$MMA]]>
tt.func @widened(%p: tensor<64x64x!tt.ptr<i8>, #l>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %i = tt.load %p : tensor<64x64x!tt.ptr<i8>, #l>
  %h = arith.sitofp %i : tensor<64x64xi8, #l> to tensor<64x64xf16, #l>
  %a = ttg.convert_layout %h : tensor<64x64xf16, #l> -> tensor<64x64xf16, #x>
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// Words of B lie side by side along N: ldmatrix cannot read them, so warps share N.

// CHECK-LABEL: tt.func @row_major_words
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$COLUMNS]]>
tt.func @row_major_words(%a: tensor<64x64xf32, #x>, %p: tensor<64x64x!tt.ptr<f32>, #l>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #l>
  %b = ttg.convert_layout %v : tensor<64x64xf32, #l> -> tensor<64x64xf32, #y>
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// Declines: K is shorter than the instruction.

// CHECK-LABEL: tt.func @short
// CHECK-NEXT: tt.dot {{.*}} -> tensor<64x64xf32, #[[$R]]>
// CHECK-NEXT: tt.return
tt.func @short(%a: tensor<64x8xf16, #x>, %b: tensor<8x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x8xf16, #x> * tensor<8x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}
}

// -----

// Ada multiplies fp8 itself; consumer chips have no fast f64.

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:89"} {
// CHECK-LABEL: tt.func @ada
// CHECK: tt.dot {{.*}} : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 4}>> * tensor<64x64xf8E5M2
tt.func @ada(%a: tensor<64x64xf8E4M3FN, #x>, %b: tensor<64x64xf8E5M2, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN, #x> * tensor<64x64xf8E5M2, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}
// CHECK-LABEL: tt.func @doubles
// CHECK-NEXT: tt.dot
// CHECK-NEXT: tt.return
tt.func @doubles(%a: tensor<64x64xf64, #x>, %b: tensor<64x64xf64, #y>, %c: tensor<64x64xf64, #b>) -> tensor<64x64xf64, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf64, #x> * tensor<64x64xf64, #y> -> tensor<64x64xf64, #b>
  tt.return %d : tensor<64x64xf64, #b>
}
}

// -----

// Batches are shared out first; what warps are left share rows and columns.

#b = #ttg.blocked<{sizePerThread = [1, 4, 4], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 8, 1], order = [2, 1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:80"} {
// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2, 2], instrShape = [1, 16, 8]}>
// CHECK-LABEL: tt.func @batches
// CHECK: tt.dot {{.*}} -> tensor<2x64x64xf32, #[[$MMA]]>
tt.func @batches(%a: tensor<2x64x32xf16, #x>, %b: tensor<2x32x64xf16, #y>, %c: tensor<2x64x64xf32, #b>) -> tensor<2x64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<2x64x32xf16, #x> * tensor<2x32x64xf16, #y> -> tensor<2x64x64xf32, #b>
  tt.return %d : tensor<2x64x64xf32, #b>
}
}
