// RUN: tessera-opt %s --ttg-order-global-accesses | FileCheck %s
// RUN: tessera-opt %s --ttg-order-global-accesses --remark-format=emitRemark --remarks-filter=ttg-order-global-accesses 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] barrier {{.*}}Reason="it reads addresses that the program stored to before, in other threads", Remark="a barrier precedes the load"

#rows = #ttg.slice<{dim = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#once = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {

// The same addresses, computed in two layouts.

// CHECK-LABEL: tt.func @other_layout
// CHECK: tt.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.load
tt.func @other_layout(%p: !tt.ptr<f32>, %x: tensor<128xf32, #rows>) -> tensor<128xf32, #line> {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #rows>
  %j = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #rows>
  %qs = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
  %pp = tt.addptr %ps, %i : tensor<128x!tt.ptr<f32>, #rows>, tensor<128xi32, #rows>
  %qq = tt.addptr %qs, %j : tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
  tt.store %pp, %x : tensor<128x!tt.ptr<f32>, #rows>
  %y = tt.load %qq : tensor<128x!tt.ptr<f32>, #line>
  tt.return %y : tensor<128xf32, #line>
}

// Of copies in several threads one is stored, and all are loaded.

// CHECK-LABEL: tt.func @copies
// CHECK: tt.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.load
tt.func @copies(%p: tensor<64x!tt.ptr<f32>, #line>, %x: tensor<64xf32, #line>) -> tensor<64xf32, #line> {
  tt.store %p, %x : tensor<64x!tt.ptr<f32>, #line>
  %y = tt.load %p : tensor<64x!tt.ptr<f32>, #line>
  tt.return %y : tensor<64xf32, #line>
}

// Declines: each thread loads what it stored.

// CHECK-LABEL: tt.func @own
// CHECK-NOT: gpu.barrier
// CHECK: tt.return
tt.func @own(%p: tensor<128x!tt.ptr<f32>, #once>, %x: tensor<128xf32, #once>) -> tensor<128xf32, #once> {
  tt.store %p, %x : tensor<128x!tt.ptr<f32>, #once>
  %y = tt.load %p : tensor<128x!tt.ptr<f32>, #once>
  tt.return %y : tensor<128xf32, #once>
}

// Declines: other addresses, and a load in front of the store.

// CHECK-LABEL: tt.func @others
// CHECK-NOT: gpu.barrier
// CHECK: tt.return
tt.func @others(%p: tensor<64x!tt.ptr<f32>, #line>, %q: tensor<64x!tt.ptr<f32>, #line>) -> tensor<64xf32, #line> {
  %x = tt.load %p : tensor<64x!tt.ptr<f32>, #line>
  tt.store %p, %x : tensor<64x!tt.ptr<f32>, #line>
  %y = tt.load %q : tensor<64x!tt.ptr<f32>, #line>
  tt.return %y : tensor<64xf32, #line>
}
}
