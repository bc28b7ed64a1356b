// RUN: tessera-opt %s --ttg-buffer-dot-operands | FileCheck %s
// RUN: tessera-opt %s --ttg-buffer-dot-operands=max-shared-bytes=1024 | FileCheck %s --check-prefix=FULL
// RUN: tessera-opt %s --ttg-buffer-dot-operands=max-registers=40 | FileCheck %s --check-prefix=SHORT
// RUN: tessera-opt %s --ttg-buffer-dot-operands --remark-format=emitRemark --remarks-filter=ttg-buffer-dot-operands 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] operand-buffer {{.*}}Remark="the dot's operand is read from a buffer of 8192 bytes in shared memory"
// REMARK: [Missed] operand-buffer {{.*}}Reason="only 32 registers of a thread hold it", Remark="the dot's operand gets no buffer in shared memory"
// REMARK: [Missed] operand-buffer {{.*}}Reason="ldmatrix cannot read it"

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 2}>
#f = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #f}>
#y = #ttg.dot_op<{opIdx = 1, parent = #f}>
#w = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#k = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 1}>
#j = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 1}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {

// Both operands are written before either is read.

// CHECK-LABEL: tt.func @both
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[A:.*]] = ttg.local_alloc %{{.*}} : {{.*}} -> !ttg.memdesc<64x64xf16, #shared, #smem>
// CHECK: %[[B:.*]] = ttg.local_alloc
// CHECK: %[[P:.*]] = ttg.local_load %[[A]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0
// CHECK: %[[Q:.*]] = ttg.local_load %[[B]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1
// CHECK: tt.dot %[[P]], %[[Q]]

// Declines: the buffers do not fit.

// FULL-LABEL: tt.func @both
// FULL-NOT: ttg.local_alloc
// FULL-COUNT-2: ttg.convert_layout
// FULL: tt.dot
tt.func @both(%p: tensor<64x64xf16, #l>, %q: tensor<64x64xf16, #l>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %0 = ttg.convert_layout %p : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %1 = ttg.convert_layout %q : tensor<64x64xf16, #l> -> tensor<64x64xf16, #b>
  %d = tt.dot %0, %1, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}

// An operand that the loop does not change is read once, or in every iteration where
// registers are short.

// CHECK-LABEL: tt.func @invariant
// CHECK: ttg.local_load
// CHECK: scf.for
// CHECK-NOT: ttg.local_load
// CHECK: tt.return
// SHORT-LABEL: tt.func @invariant
// SHORT: %[[A:.*]] = ttg.local_alloc
// SHORT-NOT: ttg.local_load
// SHORT: scf.for
// SHORT: %[[P:.*]] = ttg.local_load %[[A]]
// SHORT: tt.dot %[[P]]
tt.func @invariant(%p: tensor<64x64xf16, #l>, %q: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>, %n: i32) -> tensor<64x64xf32, #m> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = ttg.convert_layout %p : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %c) -> (tensor<64x64xf32, #m>) : i32 {
    %d = tt.dot %0, %q, %s : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
    scf.yield %d : tensor<64x64xf32, #m>
  }
  tt.return %r : tensor<64x64xf32, #m>
}

// Operands of fma, where a thread needs many elements.

// CHECK-LABEL: tt.func @fma
// CHECK-COUNT-2: ttg.local_alloc
// CHECK-COUNT-2: ttg.local_load
// CHECK-NEXT: tt.dot
tt.func @fma(%p: tensor<64x32xf32, #w>, %q: tensor<32x64xf32, #w>, %c: tensor<64x64xf32, #f>) -> tensor<64x64xf32, #f> {
  %0 = ttg.convert_layout %p : tensor<64x32xf32, #w> -> tensor<64x32xf32, #x>
  %1 = ttg.convert_layout %q : tensor<32x64xf32, #w> -> tensor<32x64xf32, #y>
  %d = tt.dot %0, %1, %c : tensor<64x32xf32, #x> * tensor<32x64xf32, #y> -> tensor<64x64xf32, #f>
  tt.return %d : tensor<64x64xf32, #f>
}

// Declines: few elements.

// CHECK-LABEL: tt.func @small
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.return
tt.func @small(%p: tensor<64x8xf32, #w>, %q: tensor<8x64xf32, #y>, %c: tensor<64x64xf32, #f>) -> tensor<64x64xf32, #f> {
  %0 = ttg.convert_layout %p : tensor<64x8xf32, #w> -> tensor<64x8xf32, #x>
  %d = tt.dot %0, %q, %c : tensor<64x8xf32, #x> * tensor<8x64xf32, #y> -> tensor<64x64xf32, #f>
  tt.return %d : tensor<64x64xf32, #f>
}

// Declines: 32-bit elements whose rows do not lie along K cannot be read by ldmatrix.

// CHECK-LABEL: tt.func @words
// CHECK: %[[Q:.*]] = ttg.convert_layout
// CHECK: tt.dot %{{.*}}, %[[Q]]
tt.func @words(%p: tensor<64x64xf32, #j>, %q: tensor<64x64xf32, #w>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %1 = ttg.convert_layout %q : tensor<64x64xf32, #w> -> tensor<64x64xf32, #k>
  %d = tt.dot %p, %1, %c, inputPrecision = tf32 : tensor<64x64xf32, #j> * tensor<64x64xf32, #k> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}

// A read that stands in front of the other operand's write moves behind it.

// CHECK-LABEL: tt.func @sinks
// CHECK: ttg.local_alloc
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: tt.dot
tt.func @sinks(%p: tensor<64x64xf16, #l>, %q: !ttg.memdesc<64x64xf16, #s, #smem, mutable>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %1 = ttg.local_load %q : !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf16, #b>
  %0 = ttg.convert_layout %p : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %d = tt.dot %0, %1, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}

// Declines: a write to the same buffer may follow the read.

// CHECK-LABEL: tt.func @stays
// CHECK: ttg.local_load %[[M:.*]] :
// CHECK: ttg.local_store
// CHECK: tt.dot
tt.func @stays(%p: tensor<64x64xf16, #a>, %v: tensor<64x64xf16, #l>, %q: !ttg.memdesc<64x64xf16, #s, #smem, mutable>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %1 = ttg.local_load %q : !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf16, #b>
  ttg.local_store %v, %q : tensor<64x64xf16, #l> -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %d = tt.dot %p, %1, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}
}
