// NVIDIA's passes that need layouts say so where there are none.
// RUN: not tessera-opt %s --nvidia-convert-ttgir-to-llir 2>&1 | FileCheck %s
// RUN: not tessera-opt %s --nvidia-accelerate-matmul 2>&1 | FileCheck %s

// CHECK: error: --nvidia-{{.*}} needs a layout for every tensor; --convert-ttir-to-ttgir assigns them
tt.func public @store(%p: !tt.ptr<f32>, %x: tensor<64xf32>) {
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  tt.store %ps, %x : tensor<64x!tt.ptr<f32>>
  tt.return
}
