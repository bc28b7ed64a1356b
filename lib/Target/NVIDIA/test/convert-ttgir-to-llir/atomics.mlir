// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir | FileCheck %s

#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#eight = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", ttg.shared = 512 : i32} {

// A scalar: one thread acts, after all threads of the program have written. Nobody reads
// the old value, but the program says that it acquires, which red cannot.

// CHECK-LABEL: llvm.func @scalar_unused
// CHECK: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "@$4 atom.acq_rel.gpu.global.add.u32 $0, [$3], $2;", "=r,0,r,l,b,~{memory}"
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
tt.func public @scalar_unused(%p: !tt.ptr<i32>, %v: i32) {
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// What comes after stays after it, in all threads.

// CHECK-LABEL: llvm.func @scalar_unused_then_store
// CHECK: nvvm.barrier
// CHECK: atom.acq_rel.gpu.global.exch.b32
// CHECK: nvvm.barrier
// CHECK: st.global
// CHECK: llvm.return
tt.func public @scalar_unused_then_store(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %v: i32) {
  %0 = tt.atomic_rmw exch, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.store %q, %v : !tt.ptr<i32>
  tt.return
}

// Nobody reads and nothing is acquired: red serves.

// CHECK-LABEL: llvm.func @scalar_released
// CHECK: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "@$2 red.release.gpu.global.add.u32 [$1], $0;", "r,l,b,~{memory}"
// CHECK-NOT: nvvm.barrier
// CHECK: st.global
tt.func public @scalar_released(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %v: i32) {
  %0 = tt.atomic_rmw add, release, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.store %q, %v : !tt.ptr<i32>
  tt.return
}

// Read: through shared memory to all threads. No barrier before what releases nothing.

// CHECK-LABEL: llvm.func @scalar_used
// CHECK-NOT: nvvm.barrier
// CHECK: "@$4 atom.acquire.sys.global.max.s64 $0, [$3], $2;", "=l,0,l,l,b,~{memory}"
// CHECK: llvm.cond_br
// CHECK: llvm.store
// CHECK: nvvm.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i64
tt.func public @scalar_used(%p: !tt.ptr<i64>, %q: !tt.ptr<i64>, %v: i64) {
  %0 = tt.atomic_rmw max, acquire, sys, %p, %v {allocation.offset = 16 : i32} : (!tt.ptr<i64>, i64) -> i64
  tt.store %q, %0 : !tt.ptr<i64>
  tt.return
}

// Loops that wait for a value read it by adding nothing.

// CHECK-LABEL: llvm.func @read
// CHECK: "@$3 ld.acquire.gpu.global.b32 $0, [$2];", "=r,0,l,b,~{memory}"
tt.func public @read(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %0 = tt.atomic_rmw add, acquire, gpu, %p, %zero {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32) -> i32
  tt.store %q, %0 : !tt.ptr<i32>
  tt.return
}

// Several instructions of a thread share the fences, and need not acquire themselves.

// CHECK-LABEL: llvm.func @tensor
// CHECK: nvvm.barrier
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: red.relaxed.gpu.global.add.v4.f32 [$4], {$0, $1, $2, $3};
// CHECK: red.relaxed.gpu.global.add.v4.f32
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: llvm.return
tt.func public @tensor(%p: tensor<1024x!tt.ptr<f32>, #four>, %v: tensor<1024xf32, #four>) {
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v {ttg.access = array<i32: 0, 4>} : (tensor<1024x!tt.ptr<f32>, #four>, tensor<1024xf32, #four>) -> tensor<1024xf32, #four>
  tt.return
}

// Halves in pairs; one mask bit for eight of them.

// CHECK-LABEL: llvm.func @halves
// CHECK: "@$5 red.relaxed.gpu.global.add.noftz.v4.bf16x2 [$4], {$0, $1, $2, $3};", "r,r,r,r,l,b,~{memory}"
tt.func public @halves(%p: tensor<1024x!tt.ptr<bf16>, #eight>, %v: tensor<1024xbf16, #eight>, %m: tensor<1024xi1, #eight>) {
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m {ttg.access = array<i32: 0, 8>} : (tensor<1024x!tt.ptr<bf16>, #eight>, tensor<1024xbf16, #eight>, tensor<1024xi1, #eight>) -> tensor<1024xbf16, #eight>
  tt.return
}

// What is alike by sign and differs by instruction; integers go one by one.

// CHECK-LABEL: llvm.func @kinds
// CHECK: red.relaxed.cta.global.min.u32
// CHECK: atom.acquire.cta.global.and.b32
// CHECK: nvvm.barrier
// CHECK: atom.relaxed.cta.global.exch.b32
// CHECK: atom.acq_rel.cta.global.cas.b32 $0, [$3], $1, $2;
tt.func public @kinds(%p: tensor<128x!tt.ptr<i32>, #one>, %v: tensor<128xi32, #one>) {
  %0 = tt.atomic_rmw umin, relaxed, cta, %p, %v {ttg.access = array<i32: 0, 4>} : (tensor<128x!tt.ptr<i32>, #one>, tensor<128xi32, #one>) -> tensor<128xi32, #one>
  %1 = tt.atomic_rmw and, acquire, cta, %p, %v : (tensor<128x!tt.ptr<i32>, #one>, tensor<128xi32, #one>) -> tensor<128xi32, #one>
  %2 = tt.atomic_rmw exch, relaxed, cta, %p, %v : (tensor<128x!tt.ptr<i32>, #one>, tensor<128xi32, #one>) -> tensor<128xi32, #one>
  %3 = tt.atomic_cas acq_rel, cta, %p, %v, %v : (tensor<128x!tt.ptr<i32>, #one>, tensor<128xi32, #one>, tensor<128xi32, #one>) -> tensor<128xi32, #one>
  tt.store %p, %3 : tensor<128x!tt.ptr<i32>, #one>
  tt.return
}

// 16 elements on 128 threads: eight copies of each. One thread acts, and what it found
// reaches the other warps through memory.

// CHECK-LABEL: llvm.func @replicated
// CHECK: %[[COPY:.*]] = llvm.mlir.constant(112 : i32)
// CHECK: %[[BITS:.*]] = llvm.and %{{.*}}, %[[COPY]]
// CHECK: llvm.icmp "eq" %[[BITS]]
// CHECK: atom.relaxed.gpu.global.add.u32
// CHECK: llvm.cond_br
// CHECK: nvvm.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
tt.func public @replicated(%p: tensor<16x!tt.ptr<i32>, #one>, %v: tensor<16xi32, #one>) {
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v {allocation.offset = 0 : i32} : (tensor<16x!tt.ptr<i32>, #one>, tensor<16xi32, #one>) -> tensor<16xi32, #one>
  tt.store %p, %0 : tensor<16x!tt.ptr<i32>, #one>
  tt.return
}
}
