// RUN: tessera-opt %s --ttg-slice-fma-dots=max-shared-bytes=1000000 | FileCheck %s
// RUN: tessera-opt %s --ttg-slice-fma-dots=max-shared-bytes=1024 | FileCheck %s --check-prefix=FULL
// RUN: tessera-opt %s --ttg-slice-fma-dots=max-shared-bytes=300000 --remark-format=emitRemark --remarks-filter=ttg-slice-fma-dots 2>&1 | FileCheck %s --check-prefix=REMARK

// What the remarks say: a decision, and why another is declined.
// REMARK: [Passed] slices {{.*}}Remark="a loop computes the dot in 128 slices along K", k=4, slices=128
// REMARK: [Missed] slices {{.*}}Reason="its operands need 262144 bytes of shared memory beside 262144, of 300000", Remark="the dot is computed as a whole"
// REMARK: [Missed] slices {{.*}}Reason="its code is short: K is 8"

#b = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {

// A thread would execute 32 x 512 multiply-adds. In memory K is slowest.

// CHECK-DAG: #[[$SA:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
// CHECK-DAG: #[[$SB:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: tt.func @large
// CHECK-SAME: %[[A:.*]]: tensor<64x512xf32, #[[$L:.*]]>, %[[B:.*]]: tensor<512x64xf32, #[[$L]]>, %[[C:.*]]: tensor<64x64xf32, #[[$R:.*]]>)
// CHECK: %[[AW:.*]] = ttg.local_alloc %[[A]] : {{.*}} -> !ttg.memdesc<64x512xf32, #[[$SA]], #smem>
// CHECK: %[[AS:.*]] = ttg.memdesc_reinterpret %[[AW]] : {{.*}} -> !ttg.memdesc<128x64x4xf32, #[[$SA]], #smem>
// CHECK: %[[BW:.*]] = ttg.local_alloc %[[B]] : {{.*}} -> !ttg.memdesc<512x64xf32, #[[$SB]], #smem>
// CHECK: %[[BS:.*]] = ttg.memdesc_reinterpret %[[BW]] : {{.*}} -> !ttg.memdesc<128x4x64xf32, #[[$SB]], #smem>
// CHECK: %[[D:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %[[C]])
// CHECK: %[[AT:.*]] = ttg.memdesc_index %[[AS]][%[[I]]]
// CHECK: %[[P:.*]] = ttg.local_load %[[AT]] : {{.*}} -> tensor<64x4xf32, #ttg.dot_op<{opIdx = 0, parent = #[[$R]]}>>
// CHECK: %[[BT:.*]] = ttg.memdesc_index %[[BS]][%[[I]]]
// CHECK: %[[Q:.*]] = ttg.local_load %[[BT]] : {{.*}} -> tensor<4x64xf32, #ttg.dot_op<{opIdx = 1, parent = #[[$R]]}>>
// CHECK: %[[T:.*]] = tt.dot %[[P]], %[[Q]], %[[S]]
// CHECK: scf.yield %[[T]]
// CHECK: tt.return %[[D]]

// Declines: the buffers do not fit.

// FULL-LABEL: tt.func @large
// FULL-NOT: ttg.local_alloc
// FULL: tt.return
tt.func @large(%a: tensor<64x512xf32, #l>, %b: tensor<512x64xf32, #l>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %0 = ttg.convert_layout %a : tensor<64x512xf32, #l> -> tensor<64x512xf32, #x>
  %1 = ttg.convert_layout %b : tensor<512x64xf32, #l> -> tensor<512x64xf32, #y>
  %d = tt.dot %0, %1, %c : tensor<64x512xf32, #x> * tensor<512x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// An operand that comes out of a buffer is read once by each element's owner.

// CHECK-LABEL: tt.func @from_buffer
// CHECK: %[[V:.*]] = ttg.local_load %{{.*}} -> tensor<64x512xf32, #blocked
// CHECK-NOT: ttg.convert_layout
// CHECK: ttg.local_alloc %[[V]]
tt.func @from_buffer(%a: !ttg.memdesc<64x512xf32, #s, #smem, mutable>, %b: tensor<512x64xf32, #l>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %0 = ttg.local_load %a : !ttg.memdesc<64x512xf32, #s, #smem, mutable> -> tensor<64x512xf32, #x>
  %1 = ttg.convert_layout %b : tensor<512x64xf32, #l> -> tensor<512x64xf32, #y>
  %d = tt.dot %0, %1, %c : tensor<64x512xf32, #x> * tensor<512x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}

// Declines: K is short.

// CHECK-LABEL: tt.func @short
// CHECK-NEXT: tt.dot
// CHECK-NEXT: tt.return
tt.func @short(%a: tensor<64x8xf32, #x>, %b: tensor<8x64xf32, #y>, %c: tensor<64x64xf32, #b>) -> tensor<64x64xf32, #b> {
  %d = tt.dot %a, %b, %c : tensor<64x8xf32, #x> * tensor<8x64xf32, #y> -> tensor<64x64xf32, #b>
  tt.return %d : tensor<64x64xf32, #b>
}
}
