// RUN: tessera-opt %s --nvidia-accelerate-matmul --split-input-file | FileCheck %s
// RUN: tessera-opt %s --nvidia-accelerate-matmul --split-input-file --remark-format=emitRemark --remarks-filter=nvidia-accelerate-matmul 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] mma {{.*}}A comes from shared memory", Remark="the dot of f16 uses MMA version 3, m64n256k16"
// REMARK: [Passed] mma {{.*}}A comes from registers", Remark="the dot of f16 uses MMA version 3, m64n128k16"
// REMARK: [Passed] mma {{.*}}B goes through registers", Remark="the dot of i8 uses MMA version 3, m64n64k32, swapped"
// REMARK: [Passed] mma {{.*}}A goes through registers", Remark="the dot of f32 uses MMA version 3, m64n128k8"
// REMARK: [Missed] mma {{.*}}Reason="B is not contiguous along K in memory", Remark="MMA version 3 is not used"
// REMARK: [Passed] mma {{.*}}B comes from shared memory", Remark="the dot of f16 uses MMA version 3, m64n32k16, swapped"
// REMARK: [Missed] mma {{.*}}Reason="the result is smaller than what the warp groups multiply at once"

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"} {

// Two groups share the rows. Loaded operands keep the order they have in memory.

// CHECK-DAG: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @loaded
// CHECK: %[[A:.*]] = tt.load
// CHECK: %[[B:.*]] = tt.load
// CHECK: %[[X:.*]] = ttg.local_alloc %[[A]] : {{.*}} -> !ttg.memdesc<128x64xf16, #[[$ROWS]], #smem>
// CHECK: %[[Y:.*]] = ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<64x256xf16, #[[$ROWS]], #smem>
// CHECK: ttng.warp_group_dot %[[X]], %[[Y]], %{{.*}} -> tensor<128x256xf32, #[[$MMA]]>
tt.func @loaded(%pa: tensor<128x64x!tt.ptr<f16>, #l>, %pb: tensor<64x256x!tt.ptr<f16>, #l>, %c: tensor<128x256xf32, #b>) -> tensor<128x256xf32, #b> {
  %a = tt.load %pa : tensor<128x64x!tt.ptr<f16>, #l>
  %b = tt.load %pb : tensor<64x256x!tt.ptr<f16>, #l>
  %0 = ttg.convert_layout %a : tensor<128x64xf16, #l> -> tensor<128x64xf16, #x>
  %1 = ttg.convert_layout %b : tensor<64x256xf16, #l> -> tensor<64x256xf16, #y>
  %d = tt.dot %0, %1, %c : tensor<128x64xf16, #x> * tensor<64x256xf16, #y> -> tensor<128x256xf32, #b>
  tt.return %d : tensor<128x256xf32, #b>
}

// What the dot's iteration computes comes from registers. A transposition is a view.

// CHECK-LABEL: tt.func @computed
// CHECK: %[[B:.*]] = tt.load
// CHECK: ttg.convert_layout {{.*}} -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 2}>>
// CHECK: %[[Y:.*]] = ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<128x64xf16, #[[$ROWS]], #smem>
// CHECK: %[[T:.*]] = ttg.memdesc_trans %[[Y]] {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<64x128xf16, #[[$COLUMNS]], #smem>
// CHECK: ttng.warp_group_dot %{{.*}}, %[[T]],
tt.func @computed(%a: tensor<128x64xf32, #l>, %pb: tensor<128x64x!tt.ptr<f16>, #l>, %c: tensor<128x128xf32, #b>) -> tensor<128x128xf32, #b> {
  %h = arith.truncf %a : tensor<128x64xf32, #l> to tensor<128x64xf16, #l>
  %b = tt.load %pb : tensor<128x64x!tt.ptr<f16>, #l>
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<128x64xf16, #l> -> tensor<64x128xf16, #t>
  %0 = ttg.convert_layout %h : tensor<128x64xf16, #l> -> tensor<128x64xf16, #x>
  %1 = ttg.convert_layout %t : tensor<64x128xf16, #t> -> tensor<64x128xf16, #y>
  %d = tt.dot %0, %1, %c : tensor<128x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<128x128xf32, #b>
  tt.return %d : tensor<128x128xf32, #b>
}

// Bytes must be contiguous along K. What is loaded otherwise goes through registers: B does in a
// dot that is swapped. A thread has four neighbouring columns of it.

// CHECK-LABEL: tt.func @bytes
// CHECK: %[[A:.*]] = tt.load
// CHECK: %[[B:.*]] = tt.load
// CHECK-DAG: %[[X:.*]] = ttg.local_alloc %[[A]] : {{.*}} -> !ttg.memdesc<128x64xi8,
// CHECK-DAG: %[[Y:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<64x128xi8, #linear>
// CHECK: ttng.warp_group_dot %[[X]], %[[Y]], %{{.*}} {{{.*}}instrColumns = 64 : i32{{.*}}swapped}
tt.func @bytes(%pa: tensor<128x64x!tt.ptr<i8>, #l>, %pb: tensor<64x128x!tt.ptr<i8>, #l>, %c: tensor<128x128xi32, #b>) -> tensor<128x128xi32, #b> {
  %a = tt.load %pa : tensor<128x64x!tt.ptr<i8>, #l>
  %b = tt.load %pb : tensor<64x128x!tt.ptr<i8>, #l>
  %0 = ttg.convert_layout %a : tensor<128x64xi8, #l> -> tensor<128x64xi8, #x>
  %1 = ttg.convert_layout %b : tensor<64x128xi8, #l> -> tensor<64x128xi8, #y>
  %d = tt.dot %0, %1, %c : tensor<128x64xi8, #x> * tensor<64x128xi8, #y> -> tensor<128x128xi32, #b>
  tt.return %d : tensor<128x128xi32, #b>
}

// CHECK-LABEL: tt.func @columns
// CHECK: ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32, instrColumns = 128 : i32} : tensor<128x32xf32, #{{.*}}> * !ttg.memdesc<32x128xf32
tt.func @columns(%pa: tensor<128x32x!tt.ptr<f32>, #t>, %pb: tensor<32x128x!tt.ptr<f32>, #t>, %c: tensor<128x128xf32, #b>) -> tensor<128x128xf32, #b> {
  %a = tt.load %pa : tensor<128x32x!tt.ptr<f32>, #t>
  %b = tt.load %pb : tensor<32x128x!tt.ptr<f32>, #t>
  %0 = ttg.convert_layout %a : tensor<128x32xf32, #t> -> tensor<128x32xf32, #x>
  %1 = ttg.convert_layout %b : tensor<32x128xf32, #t> -> tensor<32x128xf32, #y>
  %d = tt.dot %0, %1, %c, inputPrecision = tf32 : tensor<128x32xf32, #x> * tensor<32x128xf32, #y> -> tensor<128x128xf32, #b>
  tt.return %d : tensor<128x128xf32, #b>
}

// Neither is contiguous along K.

// CHECK-LABEL: tt.func @neither
// CHECK: tt.dot
tt.func @neither(%pa: tensor<128x32x!tt.ptr<f32>, #t>, %pb: tensor<32x128x!tt.ptr<f32>, #l>, %c: tensor<128x128xf32, #b>) -> tensor<128x128xf32, #b> {
  %a = tt.load %pa : tensor<128x32x!tt.ptr<f32>, #t>
  %b = tt.load %pb : tensor<32x128x!tt.ptr<f32>, #l>
  %0 = ttg.convert_layout %a : tensor<128x32xf32, #t> -> tensor<128x32xf32, #x>
  %1 = ttg.convert_layout %b : tensor<32x128xf32, #l> -> tensor<32x128xf32, #y>
  %d = tt.dot %0, %1, %c, inputPrecision = tf32 : tensor<128x32xf32, #x> * tensor<32x128xf32, #y> -> tensor<128x128xf32, #b>
  tt.return %d : tensor<128x128xf32, #b>
}

// Fewer rows than a group multiplies, and columns enough: swapped, both from shared memory.

// CHECK-LABEL: tt.func @few_rows
// CHECK: ttng.warp_group_dot {{.*}} {{{.*}}instrColumns = 32 : i32{{.*}}swapped} : !ttg.memdesc<32x64xf16, {{.*}}> * !ttg.memdesc<64x128xf16
tt.func @few_rows(%pa: tensor<32x64x!tt.ptr<f16>, #l>, %pb: tensor<64x128x!tt.ptr<f16>, #l>, %c: tensor<32x128xf32, #b>) -> tensor<32x128xf32, #b> {
  %a = tt.load %pa : tensor<32x64x!tt.ptr<f16>, #l>
  %b = tt.load %pb : tensor<64x128x!tt.ptr<f16>, #l>
  %0 = ttg.convert_layout %a : tensor<32x64xf16, #l> -> tensor<32x64xf16, #x>
  %1 = ttg.convert_layout %b : tensor<64x128xf16, #l> -> tensor<64x128xf16, #y>
  %d = tt.dot %0, %1, %c : tensor<32x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<32x128xf32, #b>
  tt.return %d : tensor<32x128xf32, #b>
}

// Fewer rows and columns than a group multiplies.

// CHECK-LABEL: tt.func @narrow
// CHECK: tt.dot
tt.func @narrow(%a: tensor<32x64xf16, #x>, %b: tensor<64x32xf16, #y>, %c: tensor<32x32xf32, #b>) -> tensor<32x32xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<32x64xf16, #x> * tensor<64x32xf16, #y> -> tensor<32x32xf32, #b>
  tt.return %d : tensor<32x32xf32, #b>
}

// What a loop does not change is stored once, in front of it.

// CHECK-LABEL: tt.func @invariant
// CHECK: ttg.local_alloc
// CHECK: scf.for
// CHECK: ttg.local_alloc
// CHECK: ttng.warp_group_dot
tt.func @invariant(%a: tensor<128x64xf16, #l>, %pb: tensor<64x128x!tt.ptr<f16>, #l>, %c: tensor<128x128xf32, #b>, %n: i32) -> tensor<128x128xf32, #b> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<128x128xf32, #b>) : i32 {
    %b = tt.load %pb : tensor<64x128x!tt.ptr<f16>, #l>
    %0 = ttg.convert_layout %a : tensor<128x64xf16, #l> -> tensor<128x64xf16, #x>
    %1 = ttg.convert_layout %b : tensor<64x128xf16, #l> -> tensor<64x128xf16, #y>
    %d = tt.dot %0, %1, %acc : tensor<128x64xf16, #x> * tensor<64x128xf16, #y> -> tensor<128x128xf32, #b>
    scf.yield %d : tensor<128x128xf32, #b>
  }
  tt.return %r : tensor<128x128xf32, #b>
}
}
