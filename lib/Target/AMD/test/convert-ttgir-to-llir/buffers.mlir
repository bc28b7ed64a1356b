// RUN: tessera-opt %s --amd-convert-ttgir-to-llir | FileCheck %s
// RUN: sed "s/gfx942/gfx1100/; /^#/s/64/32/; s/warp\" = 64/warp\" = 32/" %s | tessera-opt --amd-convert-ttgir-to-llir | FileCheck %s --check-prefix=RDNA

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// The offset of a masked-off access is the descriptor's number of bytes, so it reads zeros.

// CHECK-LABEL: @masked
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(2147483648 : i64) : i64
// CHECK-DAG: %[[FLAGS:.*]] = llvm.mlir.constant(159744 : i32) : i32
// CHECK: %[[BUFFER:.*]] = llvm.call_intrinsic "llvm.amdgcn.make.buffer.rsrc"(%arg0, %{{.*}}, %[[BYTES]], %[[FLAGS]]) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
// CHECK: %[[PLACE:.*]] = llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK: %[[NOWHERE:.*]] = llvm.mlir.constant(-2147483648 : i32) : i32
// CHECK: %[[OFFSET:.*]] = llvm.select %arg1, %[[PLACE]], %[[NOWHERE]] : i1, i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.load"(%[[BUFFER]], %[[OFFSET]], %{{.*}}, %{{.*}}) : (!llvm.ptr<8>, i32, i32, i32) -> vector<4xi32>
// CHECK-NOT: llvm.select %{{.*}} : i1, f32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.store"(%{{.*}}) : (vector<4xi32>, !llvm.ptr<8>, i32, i32, i32) -> ()
// RDNA: llvm.mlir.constant(822243328 : i32) : i32
tt.func public @masked(%x: !tt.ptr<f32>, %m: i1) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ms = tt.splat %m : i1 -> tensor<256xi1, #b>
  %z = arith.constant dense<0.0> : tensor<256xf32, #b>
  %v = amdg.buffer_load %x[%r], %ms, %z {ttg.access = array<i32: 0, 4>} : tensor<256xf32, #b>
  amdg.buffer_store %v, %x[%r], %ms {ttg.access = array<i32: 0, 4>} : tensor<256xf32, #b>
  tt.return
}

// Another value than zero is selected; hints are cache policies.

// CHECK-LABEL: @other
// CHECK: llvm.select %arg1
// CHECK: %[[NT:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: "llvm.amdgcn.raw.ptr.buffer.load"(%{{.*}}, %{{.*}}, %{{.*}}, %[[NT]]) : (!llvm.ptr<8>, i32, i32, i32) -> vector<2xi32>
// CHECK: llvm.select %{{.*}} : i1, vector<2xi32>
tt.func public @other(%x: !tt.ptr<f16>, %m: i1) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ms = tt.splat %m : i1 -> tensor<256xi1, #b>
  %z = arith.constant dense<-0.0> : tensor<256xf16, #b>
  %v = amdg.buffer_load %x[%r], %ms, %z cacheModifier = cg {ttg.access = array<i32: 0, 4>} : tensor<256xf16, #b>
  amdg.buffer_store %v, %x[%r] {ttg.access = array<i32: 0, 4>} : tensor<256xf16, #b>
  tt.return
}}
