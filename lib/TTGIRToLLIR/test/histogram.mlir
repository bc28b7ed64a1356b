// RUN: tessera-opt %s --ttg-allocate-shared-memory --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#h = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {

// CHECK-LABEL: llvm.func @counts
// CHECK: llvm.store %{{.*}} : vector<4x{{[if]}}32>, !llvm.ptr<3>
// CHECK: llvm.call @null.barrier
// CHECK: %[[BIN:.*]] = llvm.icmp "ult"
// CHECK: %[[ON:.*]] = llvm.and %[[BIN]], %{{.*}} : i1
// CHECK: %[[ONE:.*]] = llvm.zext %[[ON]] : i1 to i32
// CHECK: llvm.atomicrmw add %{{.*}}, %[[ONE]] syncscope("block") monotonic : !llvm.ptr<3>, i32
// CHECK: llvm.atomicrmw add
// CHECK-NOT: llvm.atomicrmw
// CHECK: llvm.call @null.barrier
// CHECK: llvm.load
tt.func public @counts(%x: tensor<256xi32, #b>, %k: tensor<256xi1, #b>, %p: tensor<64x!tt.ptr<i32>, #h>) {
  %m = tt.histogram %x, %k : tensor<256xi32, #b> -> tensor<64xi32, #h>
  tt.store %p, %m : tensor<64x!tt.ptr<i32>, #h>
  tt.return
}

// Bytes are all bins. Copies in other threads count once.
// CHECK-LABEL: llvm.func @bytes
// CHECK-NOT: llvm.icmp "ult"
// CHECK: %[[OWN:.*]] = llvm.icmp "eq"
// CHECK: llvm.zext %[[OWN]] : i1 to i32
// CHECK: llvm.atomicrmw add
tt.func public @bytes(%x: tensor<32xi8, #h>, %p: tensor<256x!tt.ptr<i32>, #h>) {
  %m = tt.histogram %x : tensor<32xi8, #h> -> tensor<256xi32, #h>
  tt.store %p, %m : tensor<256x!tt.ptr<i32>, #h>
  tt.return
}
}
