// RUN: tessera-opt %s --nvidia-overlap-dots | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<4x64x64xf16, #tile, #smem, mutable>
!slot = !ttg.memdesc<64x64xf16, #tile, #smem, mutable>
!sum = tensor<64x64xf32, #mma>
!left = tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// The loop only carries the sum: one dot runs on while the next is prepared.

// CHECK-LABEL: tt.func @carried
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[ACC]] {{{.*}}isAsync = true}
// CHECK: %[[W:.*]] = ttng.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
// CHECK: scf.yield %[[W]]
// CHECK: %[[F:.*]] = ttng.warp_group_dot_wait %[[R]] {pendings = 0 : i32}
// CHECK: tt.return %[[F]]
tt.func @carried(%c: !sum, %n: i32) -> !sum {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = ttg.local_alloc {ttg.refilled_last} : () -> !buffer
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (!sum) : i32 {
    %s = ttg.memdesc_index %b[%i] : !buffer -> !slot
    %d = ttng.warp_group_dot %s, %s, %acc : !slot * !slot -> !sum
    scf.yield %d : !sum
  }
  tt.return %r : !sum
}

// Copies at the beginning of the next iteration would overwrite what the dot reads.

// CHECK-LABEL: tt.func @full
// CHECK: ttng.warp_group_dot
// CHECK-NOT: isAsync = true
// CHECK-NOT: warp_group_dot_wait
// CHECK: tt.return
tt.func @full(%c: !sum, %n: i32) -> !sum {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = ttg.local_alloc : () -> !buffer
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (!sum) : i32 {
    %s = ttg.memdesc_index %b[%i] : !buffer -> !slot
    %d = ttng.warp_group_dot %s, %s, %acc : !slot * !slot -> !sum
    scf.yield %d : !sum
  }
  tt.return %r : !sum
}

// The sum of the iteration before and this iteration's first result are awaited together,
// before either is touched.

// CHECK-LABEL: tt.func @attention
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}})
// CHECK: %[[S:.*]] = ttng.warp_group_dot {{.*}}isAsync = true
// CHECK: %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[O]], %[[S]] {pendings = 0 : i32}
// CHECK: arith.truncf %[[W]]#1
// CHECK: %[[SCALED:.*]] = arith.mulf %[[W]]#0
// CHECK: %[[P:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[SCALED]] {{{.*}}isAsync = true}
// CHECK: scf.yield %[[P]]
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
tt.func @attention(%q: !ttg.memdesc<64x64xf16, #tile, #smem>, %c: !sum, %zeros: !sum, %n: i32) -> !sum {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %k = ttg.local_alloc : () -> !buffer
  %v = ttg.local_alloc {ttg.refilled_last} : () -> !buffer
  %r = scf.for %i = %zero to %n step %one iter_args(%o = %c) -> (!sum) : i32 {
    %ks = ttg.memdesc_index %k[%i] : !buffer -> !slot
    %s = ttng.warp_group_dot %q, %ks, %zeros : !ttg.memdesc<64x64xf16, #tile, #smem> * !slot -> !sum
    %h = arith.truncf %s : !sum to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> !left
    %scaled = arith.mulf %o, %zeros : !sum
    %vs = ttg.memdesc_index %v[%i] : !buffer -> !slot
    %d = ttng.warp_group_dot %p, %vs, %scaled : !left * !slot -> !sum
    scf.yield %d : !sum
  }
  tt.return %r : !sum
}

// A in registers is written anew in each iteration: the dot must be over before that.

// CHECK-LABEL: tt.func @registers
// CHECK-NOT: isAsync = true
// CHECK: tt.return
tt.func @registers(%pa: tensor<64x64x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %c: !sum, %n: i32) -> !sum {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = ttg.local_alloc {ttg.refilled_last} : () -> !buffer
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (!sum) : i32 {
    %s = ttg.memdesc_index %b[%i] : !buffer -> !slot
    %a = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %d = ttng.warp_group_dot %a, %s, %acc : !left * !slot -> !sum
    scf.yield %d : !sum
  }
  tt.return %r : !sum
}
}
