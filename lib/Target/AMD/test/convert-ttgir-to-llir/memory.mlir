// RUN: tessera-opt %s --amd-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// A masked load reads the kernel's arguments where the mask is false: no branch.
// A masked store has a mask of equal lanes, which LLVM makes one branch of.

// CHECK-LABEL: @masked
// CHECK: %[[ARGUMENTS:.*]] = llvm.call_intrinsic "llvm.amdgcn.kernarg.segment.ptr"() : () -> !llvm.ptr<4>
// CHECK: %[[SAFE:.*]] = llvm.addrspacecast %[[ARGUMENTS]] : !llvm.ptr<4> to !llvm.ptr<1>
// CHECK: %[[FROM:.*]] = llvm.select %{{.*}}, %{{.*}}, %[[SAFE]] : i1, !llvm.ptr<1>
// CHECK: llvm.load %[[FROM]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: llvm.select %{{.*}} : i1, f32
// CHECK: llvm.intr.masked.store %{{.*}} {alignment = 16 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr<1>
tt.func public @masked(%x: !tt.ptr<f32>, %m: i1) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ms = tt.splat %m : i1 -> tensor<256xi1, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
  %v = tt.load %p, %ms {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f32>, #b>
  tt.store %p, %v, %ms {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f32>, #b>
  tt.return
}

// Elements of 16 bits come in words: a mask selects words, and loops carry words.

// CHECK-LABEL: @halves
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: %[[WORDS:.*]] = llvm.select %{{.*}} : i1, vector<2xi32>
// CHECK: %[[WORD:.*]] = llvm.extractelement %[[WORDS]]
// CHECK: llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
// CHECK-NOT: llvm.select %{{.*}} : i1, f16
tt.func public @halves(%x: !tt.ptr<f16>, %m: i1) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ms = tt.splat %m : i1 -> tensor<256xi1, #b>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #b>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f16>, #b>, tensor<256xi32, #b>
  %v = tt.load %p, %ms {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f16>, #b>
  tt.store %p, %v {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f16>, #b>
  tt.return
}

// Hints for caches; .cv reads again each time.

// CHECK-LABEL: @hints
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64, nontemporal} : !llvm.ptr<1>
// CHECK: llvm.load volatile %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<4xf32>
tt.func public @hints(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
  %a = tt.load %p cacheModifier = cg {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f32>, #b>
  %b = tt.load %p cacheModifier = cv {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f32>, #b>
  %s = arith.addf %a, %b : tensor<256xf32, #b>
  tt.store %p, %s cacheModifier = cs {ttg.access = array<i32: 0, 4>} : tensor<256x!tt.ptr<f32>, #b>
  tt.return
}
}
