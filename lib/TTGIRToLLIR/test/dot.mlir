// RUN: tessera-opt %s --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
#z = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#p = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#q = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {

// A row and two columns for each thread; sums that do not wait for each other alternate.

// CHECK-LABEL: llvm.func @floats
// CHECK: %[[S0:.*]] = llvm.intr.fma(%[[A0:.*]], %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
// CHECK: %[[S1:.*]] = llvm.intr.fma(%[[A0]], %{{.*}}, %{{.*}})
// CHECK: llvm.intr.fma(%[[A1:.*]], %{{.*}}, %[[S0]])
// CHECK: llvm.intr.fma(%[[A1]], %{{.*}}, %[[S1]])
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
tt.func public @floats(%a: tensor<32x2xf32, #x>, %b: tensor<2x2xf32, #y>, %c: tensor<32x2xf32, #b>, %o0: tensor<32x2x!tt.ptr<f32>, #b>) {
  %d = tt.dot %a, %b, %c : tensor<32x2xf32, #x> * tensor<2x2xf32, #y> -> tensor<32x2xf32, #b>
  tt.store %o0, %d : tensor<32x2x!tt.ptr<f32>, #b>
  tt.return
}

// Halves are added up in f32 and rounded once.

// CHECK-LABEL: llvm.func @halves
// CHECK: llvm.fpext
// CHECK-COUNT-4: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK-COUNT-2: llvm.fptrunc %{{.*}} : f32 to f16
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.return
tt.func public @halves(%a: tensor<32x2xf16, #x>, %b: tensor<2x2xf16, #y>, %c: tensor<32x2xf16, #b>, %o0: tensor<32x2x!tt.ptr<f16>, #b>) {
  %d = tt.dot %a, %b, %c : tensor<32x2xf16, #x> * tensor<2x2xf16, #y> -> tensor<32x2xf16, #b>
  tt.store %o0, %d : tensor<32x2x!tt.ptr<f16>, #b>
  tt.return
}

// CHECK-LABEL: llvm.func @bytes
// CHECK: llvm.sext %{{.*}} : i8 to i32
// CHECK-COUNT-4: llvm.mul %{{.*}} : i32
tt.func public @bytes(%a: tensor<32x2xi8, #x>, %b: tensor<2x2xi8, #y>, %c: tensor<32x2xi32, #b>, %o0: tensor<32x2x!tt.ptr<i32>, #b>) {
  %d = tt.dot %a, %b, %c : tensor<32x2xi8, #x> * tensor<2x2xi8, #y> -> tensor<32x2xi32, #b>
  tt.store %o0, %d : tensor<32x2x!tt.ptr<i32>, #b>
  tt.return
}

// Both halves of a byte at once: exponent and fraction to their places, times 2^14.

// CHECK-LABEL: llvm.func @fp4
// CHECK: llvm.zext %{{.*}} : i8 to i32
// CHECK: %[[V:.*]] = llvm.bitcast %{{.*}} : i32 to vector<2xf16>
// CHECK: dense<1.638400e+04> : vector<2xf16>
// CHECK: llvm.intr.fma(%[[V]],
// CHECK-COUNT-2: llvm.extractelement
// CHECK-NOT: llvm.zext
// CHECK: llvm.return
tt.func public @fp4(%a: tensor<8x4xi8, #q>, %o0: tensor<8x8x!tt.ptr<f16>, #p>) {
  %d = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<8x4xi8, #q> -> tensor<8x8xf16, #p>
  tt.store %o0, %d : tensor<8x8x!tt.ptr<f16>, #p>
  tt.return
}
}
