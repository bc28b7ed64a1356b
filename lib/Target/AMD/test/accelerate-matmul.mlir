// RUN: tessera-opt %s --amd-accelerate-matmul --split-input-file | FileCheck %s
// RUN: tessera-opt %s --amd-accelerate-matmul --split-input-file --remark-format=emitRemark --remarks-filter=amd-accelerate-matmul 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] matrix {{.*}}Reason="the chip multiplies f16 and adds f32; 2x2 warps share the result", Remark="the dot of f16 uses MFMA 32x32x8, transposed"
// REMARK: [Missed] matrix {{.*}}Reason="K is smaller than the instruction's", Remark="the dot of f16 uses multiply-adds"
// REMARK: [Missed] matrix {{.*}}Reason="the chip has no instruction for these types and this precision", Remark="the dot of f32 uses multiply-adds"

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: #[[$SMALL:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [32, 32, 8], isTransposed = false}>
// CHECK-DAG: #[[$FEW:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [4, 64, 64], isTransposed = false}>
// CHECK-DAG: #[[$XF32:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 4], isTransposed = true}>
// CHECK-DAG: #[[$DOUBLE:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = true, elementBitWidth = 64}>
// CHECK-DAG: #[[$FP8:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// Each warp has a 32x32 tile. A lane holds 16 bytes along K.

// CHECK-LABEL: tt.func @square
// CHECK-SAME: %[[A:.*]]: tensor<64x64xf16, #{{.*}}>, %[[B:.*]]: tensor<64x64xf16, #{{.*}}>, %[[C:.*]]: tensor<64x64xf32, #[[$R:.*]]>)
// CHECK: %[[X:.*]] = ttg.convert_layout %[[A]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$WIDE]], kWidth = 8}>>
// CHECK: %[[Y:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$WIDE]], kWidth = 8}>>
// CHECK: %[[Z:.*]] = ttg.convert_layout %[[C]] : {{.*}} -> tensor<64x64xf32, #[[$WIDE]]>
// CHECK: %[[D:.*]] = tt.dot %[[X]], %[[Y]], %[[Z]]
// CHECK: ttg.convert_layout %[[D]] : tensor<64x64xf32, #[[$WIDE]]> -> tensor<64x64xf32, #[[$R]]>
tt.func @square(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// Four warps share four tiles of 16x16 rather than one of 32x32.

// CHECK-LABEL: tt.func @small
// CHECK: tt.dot {{.*}}kWidth = 8}>> -> tensor<32x32xf32, #[[$SMALL]]>
tt.func @small(%a: tensor<32x64xf16, #x>, %b: tensor<64x32xf16, #y>, %c: tensor<32x32xf32, #b>) -> tensor<32x32xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<32x64xf16, #x> * tensor<64x32xf16, #y> -> tensor<32x32xf32, #b>
  tt.return %d : tensor<32x32xf32, #b>
}

// One product feeds operand A of the other: rows stay in their warp in both, and a lane holds as many
// neighbours of this operand as it has of the result. The first product reads 16 bytes.

// CHECK-LABEL: tt.func @chain
// CHECK: tt.dot {{.*}}kWidth = 8}>> -> tensor<128x64xf32, #[[$ROWS]]>
// CHECK: tt.dot {{.*}}kWidth = 4}>> -> tensor<128x64xf32, #[[$ROWS]]>
tt.func @chain(%a: tensor<128x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<128x64xf32, #b>) -> tensor<128x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<128x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<128x64xf32, #b>
  %h = arith.truncf %d : tensor<128x64xf32, #b> to tensor<128x64xf16, #b>
  %p = ttg.convert_layout %h : tensor<128x64xf16, #b> -> tensor<128x64xf16, #x>
  %e = tt.dot %p, %b, %c : tensor<128x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<128x64xf32, #b>
  tt.return %e : tensor<128x64xf32, #b>
}

// ... or operand B: whole columns, not transposed.

// CHECK-LABEL: tt.func @chain_b
// CHECK: tt.dot {{.*}} -> tensor<64x128xf32, #[[$COLUMNS]]>
// CHECK: tt.dot
tt.func @chain_b(%a: tensor<64x64xf16, #x>, %b: tensor<64x128xf16, #y>, %c: tensor<64x128xf32, #b>) -> tensor<64x128xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<64x128xf32, #b>
  %h = arith.truncf %d : tensor<64x128xf32, #b> to tensor<64x128xf16, #b>
  %p = ttg.convert_layout %h : tensor<64x128xf16, #b> -> tensor<64x128xf16, #y>
  %e = tt.dot %a, %p, %c : tensor<64x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<64x128xf32, #b>
  tt.return %e : tensor<64x128xf32, #b>
}

// Few rows: sixteen blocks of 4x4 share the rows of A.

// CHECK-LABEL: tt.func @few_rows
// CHECK: tt.dot {{.*}}kWidth = 4}>> -> tensor<4x256xf32, #[[$FEW]]>
tt.func @few_rows(%a: tensor<4x64xf16, #x>, %b: tensor<64x256xf16, #y>, %c: tensor<4x256xf32, #b>) -> tensor<4x256xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<4x64xf16, #x> * tensor<64x256xf16, #y> -> tensor<4x256xf32, #b>
  tt.return %d : tensor<4x256xf32, #b>
}

// CHECK-LABEL: tt.func @floats
// CHECK: tt.dot {{.*}}, inputPrecision = tf32 : {{.*}} -> tensor<64x64xf32, #[[$XF32]]>
tt.func @floats(%a: tensor<64x64xf32, #x>, %b: tensor<64x64xf32, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// CHECK-LABEL: tt.func @doubles
// CHECK: tt.dot {{.*}} -> tensor<64x64xf64, #[[$DOUBLE]]>
tt.func @doubles(%a: tensor<64x64xf64, #x>, %b: tensor<64x64xf64, #y>, %c: tensor<64x64xf64, #b>) -> tensor<64x64xf64, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf64, #x> * tensor<64x64xf64, #y> -> tensor<64x64xf64, #b>
  tt.return %d : tensor<64x64xf64, #b>
}

// The chip's own fp8 types are multiplied as they are; others are widened after they have moved.

// CHECK-LABEL: tt.func @bytes
// CHECK-NOT: tt.fp_to_fp
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$FP8]]>
// CHECK: ttg.convert_layout {{.*}} -> tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[$WIDE]]
// CHECK-NEXT: tt.fp_to_fp {{.*}} -> tensor<64x64xf16
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$WIDE]]>
tt.func @bytes(%a: tensor<64x64xf8E4M3FNUZ, #x>, %b: tensor<64x64xf8E5M2FNUZ, #y>, %p: tensor<64x64xf8E4M3FN, #x>, %q: tensor<64x64xf8E4M3FN, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FNUZ, #x> * tensor<64x64xf8E5M2FNUZ, #y> -> tensor<64x64xf32, #b>
  %e = tt.dot %p, %q, %d : tensor<64x64xf8E4M3FN, #x> * tensor<64x64xf8E4M3FN, #y> -> tensor<64x64xf32, #b>
  tt.return %e : tensor<64x64xf32, #b>
}

// Sums of f16 are added in f32.

// CHECK-LABEL: tt.func @half_sum
// CHECK: arith.extf
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$WIDE]]>
// CHECK: arith.truncf
tt.func @half_sum(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf16, #b>) -> tensor<64x64xf16, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf16, #b>
  tt.return %d : tensor<64x64xf16, #b>
}

// CHECK-LABEL: tt.func @short
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$R]]>
tt.func @short(%a: tensor<64x4xf16, #x>, %b: tensor<4x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x4xf16, #x> * tensor<4x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}
}

// -----

// gfx950 has instructions with twice the K.

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
// CHECK: #[[$WIDE:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {
// CHECK-LABEL: tt.func @square
// CHECK: tt.dot {{.*}}kWidth = 8}>> -> tensor<64x64xf32, #[[$WIDE]]>
tt.func @square(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}
}

// -----

// RDNA3: the upper lanes repeat the operands of the lower ones. There is no WMMA of f32.

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
// CHECK-DAG: #[[$WMMA:.*]] = #ttg.amd_wmma<{version = 1, isTranspose = true, warpsPerCTA = [2, 2]}>
// CHECK-DAG: #[[$R:.*]] = #ttg.blocked
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1100"} {
// CHECK-LABEL: tt.func @both
// CHECK: tt.dot {{.*}}kWidth = 16}>> -> tensor<64x64xf32, #[[$WMMA]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$R]]>
tt.func @both(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %p: tensor<64x64xf32, #x>, %q: tensor<64x64xf32, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  %e = tt.dot %p, %q, %d : tensor<64x64xf32, #x> * tensor<64x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %e : tensor<64x64xf32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
// CHECK: #[[$WMMA:.*]] = #ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 2]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1201"} {
// CHECK-LABEL: tt.func @packed
// CHECK: tt.dot {{.*}}kWidth = 8}>> -> tensor<64x64xf32, #[[$WMMA]]>
tt.func @packed(%a: tensor<64x64xf16, #x>, %b: tensor<64x64xf16, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #x> * tensor<64x64xf16, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}
}

// -----

// The columns of B are adjacent in memory: a lane loads four rows of eight, and can write four
// neighbours along K at once. Two lanes write what one reads at once: shared memory serves 16 lanes
// together, so eight lanes have a row's cache line, and those beside them the next rows. A is loaded
// along K.

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$PATCH:.*]] = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
// REMARK: [Passed] patch {{.*}}Reason="its elements along K are not adjacent in memory: a thread writes neighbours along K to shared memory at once", Remark="each thread loads 4x8 neighbouring elements of a dot's operand"
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// CHECK-LABEL: tt.func @patch
// CHECK-SAME: %[[A:[^:]*]]: tensor<64x64x!tt.ptr<f16>, {{.*}}, %[[B:[^:]*]]: tensor<64x128x!tt.ptr<f16>
// CHECK: tt.load %[[A]] : tensor<64x64x!tt.ptr<f16>, #[[$ROW]]>
// CHECK: %[[P:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<64x128x!tt.ptr<f16>, #[[$PATCH]]>
// CHECK: %[[L:.*]] = tt.load %[[P]] : tensor<64x128x!tt.ptr<f16>, #[[$PATCH]]>
// CHECK: ttg.convert_layout %[[L]] : {{.*}} -> tensor<64x128xf16, #[[$WIDE]]>
tt.func @patch(%a: tensor<64x64x!tt.ptr<f16>, #row>, %b: tensor<64x128x!tt.ptr<f16>, #wide>, %c: tensor<64x128xf32, #b>) -> tensor<64x128xf32, #b> {
  %l = tt.load %a : tensor<64x64x!tt.ptr<f16>, #row>
  %m = tt.load %b : tensor<64x128x!tt.ptr<f16>, #wide>
  %x = ttg.convert_layout %l : tensor<64x64xf16, #row> -> tensor<64x64xf16, #x>
  %y = ttg.convert_layout %m : tensor<64x128xf16, #wide> -> tensor<64x128xf16, #y>
  %d = tt.dot %x, %y, %c : tensor<64x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<64x128xf32, #b>
  tt.return %d : tensor<64x128xf32, #b>
}

// Other uses of the load want whole rows.

// CHECK-LABEL: tt.func @shared_load
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[$WIDE]]>
tt.func @shared_load(%a: tensor<64x64xf16, #x>, %b: tensor<64x128x!tt.ptr<f16>, #wide>, %c: tensor<64x128xf32, #b>) -> tensor<64x128xf32, #b> {
  %m = tt.load %b : tensor<64x128x!tt.ptr<f16>, #wide>
  tt.store %b, %m : tensor<64x128x!tt.ptr<f16>, #wide>
  %y = ttg.convert_layout %m : tensor<64x128xf16, #wide> -> tensor<64x128xf16, #y>
  %d = tt.dot %a, %y, %c : tensor<64x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<64x128xf32, #b>
  tt.return %d : tensor<64x128xf32, #b>
}
}

// -----

// CDNA4's reads of shared memory transpose elements of 8 and 16 bits: loads keep whole rows. Such a read has 8 bytes and others 16, so
// warps share columns of B first. Elements of 32 bits are loaded in patches.

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#words = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
// CHECK-DAG: #[[$ROW:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$WORDS:.*]] = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 4], instrShape = [32, 32, 16], isTransposed = true}>
// REMARK-NOT: [Passed] patch {{.*}}Remark="each thread loads {{.*}}x8
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {

// CHECK-LABEL: tt.func @read_transposed
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[$ROW]]>
// CHECK: tt.dot {{.*}}kWidth = 8}>> -> tensor<64x128xf32, #[[$MFMA]]>
tt.func @read_transposed(%a: tensor<64x64x!tt.ptr<f16>, #row>, %b: tensor<64x128x!tt.ptr<f16>, #wide>, %c: tensor<64x128xf32, #b>) -> tensor<64x128xf32, #b> {
  %l = tt.load %a : tensor<64x64x!tt.ptr<f16>, #row>
  %m = tt.load %b : tensor<64x128x!tt.ptr<f16>, #wide>
  %x = ttg.convert_layout %l : tensor<64x64xf16, #row> -> tensor<64x64xf16, #x>
  %y = ttg.convert_layout %m : tensor<64x128xf16, #wide> -> tensor<64x128xf16, #y>
  %d = tt.dot %x, %y, %c : tensor<64x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<64x128xf32, #b>
  tt.return %d : tensor<64x128xf32, #b>
}

// CHECK-LABEL: tt.func @words
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f32>, #[[$WORDS]]>
tt.func @words(%a: tensor<64x64xf32, #x>, %b: tensor<64x128x!tt.ptr<f32>, #words>, %c: tensor<64x128xf32, #b>) -> tensor<64x128xf32, #b> {
  %m = tt.load %b : tensor<64x128x!tt.ptr<f32>, #words>
  %y = ttg.convert_layout %m : tensor<64x128xf32, #words> -> tensor<64x128xf32, #y>
  %d = tt.dot %a, %y, %c : tensor<64x64xf32, #x> * tensor<64x128xf32, #y> -> tensor<64x128xf32, #b>
  tt.return %d : tensor<64x128xf32, #b>
}
}

// -----

// CDNA4 multiplies with scales. Each lane has 16 bytes along K of an operand and the scales of its own row or column: of 8 bytes along K
// (groups of 32 elements), 4 are of one instruction, and lanes 0, 16, 32, 48 have them.

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 128], isTransposed = true}>
// CHECK-DAG: #[[$LEFT:.*]] = #ttg.linear<{register = {{\[\[}}0, 4]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 0], [16, 0]], block = []}>
// CHECK-DAG: #[[$RIGHT:.*]] = #ttg.linear<{register = {{\[\[}}0, 4]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = {{\[\[}}16, 0], [0, 0]], block = []}>
// REMARK: [Passed] matrix {{.*}}Remark="the product of e2m1 and e5m2 uses MFMA 16x16x128 with scales, transposed"
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {

// CHECK-LABEL: tt.func @scaled
// CHECK-SAME: %[[A:[^:]*]]: tensor<32x128xi8, {{[^,]*}}, %[[S:[^:]*]]: tensor<32x8xi8, {{[^,]*}}, %[[B:[^:]*]]: tensor<256x32xf8E5M2, {{[^,]*}}, %[[T:[^:]*]]: tensor<32x8xi8,
// CHECK: %[[X:.*]] = ttg.convert_layout %[[A]] : {{.*}} -> tensor<32x128xi8, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 16}>>
// CHECK: %[[Y:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<256x32xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #[[$MFMA]], kWidth = 16}>>
// CHECK: %[[P:.*]] = ttg.convert_layout %[[S]] : {{.*}} -> tensor<32x8xi8, #[[$LEFT]]>
// CHECK: %[[Q:.*]] = ttg.convert_layout %[[T]] : {{.*}} -> tensor<32x8xi8, #[[$RIGHT]]>
// CHECK: tt.dot_scaled %[[X]] scale %[[P]], %[[Y]] scale %[[Q]], {{.*}} -> tensor<32x32xf32, #[[$MFMA]]>
tt.func @scaled(%a: tensor<32x128xi8, #b>, %s: tensor<32x8xi8, #b>, %b: tensor<256x32xf8E5M2, #b>, %t: tensor<32x8xi8, #b>, %c: tensor<32x32xf32, #b>) -> tensor<32x32xf32, #b> {
  %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<32x128xi8, #b>, tensor<32x8xi8, #b> * tensor<256x32xf8E5M2, #b>, tensor<32x8xi8, #b> -> tensor<32x32xf32, #b>
  tt.return %d : tensor<32x32xf32, #b>
}
}
