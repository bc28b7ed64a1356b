// RUN: tessera-opt %s --ttg-allocate-shared-memory --split-input-file | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#cols = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
// All conversions use the same bytes, one after the other: the largest counts.

// CHECK: module attributes {{.*}}ttg.shared = 16384 : i32
// CHECK: ttg.convert_layout {{.*}} {allocation.offset = 0 : i32} : tensor<64x64xf32
// CHECK: ttg.convert_layout {{.*}} {allocation.offset = 0 : i32} : tensor<64x64xi1
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @move(%x: tensor<64x64xf32, #rows>, %m: tensor<64x64xi1, #rows>) {
  %y = ttg.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #cols>
  %n = ttg.convert_layout %m : tensor<64x64xi1, #rows> -> tensor<64x64xi1, #cols>
  tt.return
}
}

// -----

#a = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#l = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}>
// Declines: within a thread nothing has to be stored.

// CHECK: module attributes {{.*}}ttg.shared = 0 : i32
// CHECK: ttg.convert_layout %arg0 : tensor<128xf32
module attributes {"ttg.num-warps" = 1 : i32} {
tt.func public @rename(%x: tensor<128xf32, #a>) {
  %y = ttg.convert_layout %x : tensor<128xf32, #a> -> tensor<128xf32, #l>
  tt.return
}
}
