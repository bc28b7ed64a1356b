// RUN: tessera-opt %s --ttg-buffer-dot-operands | FileCheck %s
// RUN: tessera-opt %s --ttg-buffer-dot-operands=max-shared-bytes=1024 | FileCheck %s --check-prefix=FULL
// RUN: tessera-opt %s --ttg-buffer-dot-operands="max-shared-bytes=1024 all-shared-bytes=32768" | FileCheck %s --check-prefix=ALL
// RUN: tessera-opt %s --ttg-buffer-dot-operands="max-shared-bytes=1024 all-shared-bytes=16384" | FileCheck %s --check-prefix=FULL
// RUN: tessera-opt %s --ttg-buffer-dot-operands --remark-format=emitRemark --remarks-filter=ttg-buffer-dot-operands 2>&1 | FileCheck %s --check-prefix=REMARK

// On a machine without ldmatrix, operands are read by vectors along K.
// REMARK: [Missed] operand-buffer {{.*}}Reason="its elements along K are not adjacent in memory"

#row = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#patch = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
#back = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
#lin = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], warp = [[32, 0], [0, 0]], block = []}>
#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 8}>
#smem = #ttg.shared_memory
// CHECK: #[[$LINEAR:.*]] = #ttg.shared_linear<{offset = {{\[\[}}1, 0], [2, 0],
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "hip:gfx942"} {

// Columns of B are contiguous in global memory. A thread that holds four rows writes them together.

// ALL-LABEL: tt.func @patch
// ALL-COUNT-2: ttg.local_alloc
// FULL-LABEL: tt.func @patch
// FULL: ttg.convert_layout
// CHECK-LABEL: tt.func @patch
// CHECK: ttg.local_alloc %{{.*}} : (tensor<64x128xf16, #{{.*}}>) -> !ttg.memdesc<64x128xf16, #[[$LINEAR]], #smem>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func @patch(%x: tensor<128x64xf16, #row>, %y: tensor<64x128xf16, #patch>, %c: tensor<128x128xf32, #m>) -> tensor<128x128xf32, #m> {
  %p = ttg.convert_layout %x : tensor<128x64xf16, #row> -> tensor<128x64xf16, #a>
  %q = ttg.convert_layout %y : tensor<64x128xf16, #patch> -> tensor<64x128xf16, #b>
  %d = tt.dot %p, %q, %c : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #m>
  tt.return %d : tensor<128x128xf32, #m>
}

// A later pass may convert the operands of assembly, for which it needs shared memory.

// ALL-LABEL: tt.func @assembly
// ALL: ttg.convert_layout
// CHECK-LABEL: tt.func @assembly
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func @assembly(%x: tensor<128x64xf16, #row>, %y: tensor<64x128xf16, #patch>, %c: tensor<128x128xf32, #m>) -> tensor<128x128xf32, #m> {
  %p = ttg.convert_layout %x : tensor<128x64xf16, #row> -> tensor<128x64xf16, #a>
  %q = ttg.convert_layout %y : tensor<64x128xf16, #patch> -> tensor<64x128xf16, #b>
  %d = tt.dot %p, %q, %c : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #m>
  %r = tt.elementwise_inline_asm "v_mov_b32 $0, $1" {constraints = "=v,v", packed_element = 1 : i32, pure = true} %d : tensor<128x128xf32, #m> -> tensor<128x128xf32, #m>
  tt.return %r : tensor<128x128xf32, #m>
}

// A thread that holds a single row has nothing to write together.

// CHECK-LABEL: tt.func @rows
// CHECK: ttg.convert_layout %{{.*}} : tensor<32x64xf16
tt.func @rows(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #row>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %q = ttg.convert_layout %y : tensor<32x64xf16, #row> -> tensor<32x64xf16, #b>
  %d = tt.dot %x, %q, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}

// The operand is transposed before it is stored, so that its buffer is the operand's.

// CHECK-LABEL: tt.func @transposed
// CHECK: %[[T:.*]] = tt.trans %{{.*}} : tensor<128x64xf16, #{{.*}}> -> tensor<64x128xf16, #{{.*}}>
// CHECK: ttg.local_alloc %[[T]]
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func @transposed(%x: tensor<128x64xf16, #a>, %y: tensor<128x64xf16, #row>, %c: tensor<128x128xf32, #m>) -> tensor<128x128xf32, #m> {
  %l = ttg.convert_layout %y : tensor<128x64xf16, #row> -> tensor<128x64xf16, #lin>
  %q = tt.trans %l {order = array<i32: 1, 0>} : tensor<128x64xf16, #lin> -> tensor<64x128xf16, #b>
  %d = tt.dot %x, %q, %c : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #m>
  tt.return %d : tensor<128x128xf32, #m>
}

// The buffer that is written in the loop is read first: the barrier that this read needs is then in
// front of the other read too, whose values would otherwise be live across it.

// CHECK-LABEL: tt.func @loop
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = ttg.local_alloc
// CHECK: ttg.local_load %[[NEW]]
// CHECK: ttg.local_load
// CHECK: tt.dot
tt.func @loop(%x: tensor<128x64xf16, #row>, %y: tensor<64x128xf16, #patch>, %c: tensor<128x128xf32, #m>, %n: i32) -> tensor<128x128xf32, #m> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = ttg.local_alloc %x : (tensor<128x64xf16, #row>) -> !ttg.memdesc<128x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%d = %c, %v = %y) -> (tensor<128x128xf32, #m>, tensor<64x128xf16, #patch>) : i32 {
    %p = ttg.local_load %s : !ttg.memdesc<128x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem> -> tensor<128x64xf16, #a>
    %q = ttg.convert_layout %v : tensor<64x128xf16, #patch> -> tensor<64x128xf16, #b>
    %e = tt.dot %p, %q, %d : tensor<128x64xf16, #a> * tensor<64x128xf16, #b> -> tensor<128x128xf32, #m>
    %w = arith.addf %v, %v : tensor<64x128xf16, #patch>
    scf.yield %e, %w : tensor<128x128xf32, #m>, tensor<64x128xf16, #patch>
  }
  tt.return %r#0 : tensor<128x128xf32, #m>
}

// Two products in an iteration: both buffers are written at its start.

// CHECK-LABEL: tt.func @two
// CHECK: scf.for
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: ttg.local_alloc
// CHECK: tt.dot
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.dot
tt.func @two(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #back>, %c: tensor<64x64xf32, #m>, %n: i32) -> tensor<64x64xf32, #m> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%d = %c, %v = %y, %w = %y) -> (tensor<64x64xf32, #m>, tensor<32x64xf16, #back>, tensor<32x64xf16, #back>) : i32 {
    %p = ttg.convert_layout %v : tensor<32x64xf16, #back> -> tensor<32x64xf16, #b>
    %e = tt.dot %x, %p, %d : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #m>
    %f = arith.mulf %e, %e : tensor<64x64xf32, #m>
    %q = ttg.convert_layout %w : tensor<32x64xf16, #back> -> tensor<32x64xf16, #b>
    %g = tt.dot %x, %q, %f : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #m>
    %s = arith.addf %v, %v : tensor<32x64xf16, #back>
    %t = arith.addf %w, %w : tensor<32x64xf16, #back>
    scf.yield %g, %s, %t : tensor<64x64xf32, #m>, tensor<32x64xf16, #back>, tensor<32x64xf16, #back>
  }
  tt.return %r#0 : tensor<64x64xf32, #m>
}

// What another op needs at another time does not count: the conversion of the result needs 16 KiB.

// FULL-LABEL: tt.func @epilogue
// FULL-COUNT-2: ttg.local_alloc
tt.func @epilogue(%x: tensor<64x32xf16, #row>, %y: tensor<32x64xf16, #back>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #row> {
  %p = ttg.convert_layout %x : tensor<64x32xf16, #row> -> tensor<64x32xf16, #a>
  %q = ttg.convert_layout %y : tensor<32x64xf16, #back> -> tensor<32x64xf16, #b>
  %d = tt.dot %p, %q, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #m>
  %r = ttg.convert_layout %d : tensor<64x64xf32, #m> -> tensor<64x64xf32, #row>
  tt.return %r : tensor<64x64xf32, #row>
}
}
