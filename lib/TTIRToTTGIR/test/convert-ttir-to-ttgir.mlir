// RUN: tessera-opt %s --convert-ttir-to-ttgir=num-warps=8 --split-input-file | FileCheck %s

// Every tensor gets the default layout of its shape; scalars stay as they are.

// CHECK: #[[$D:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}
// CHECK-LABEL: tt.func public @add
// CHECK-DAG: tt.make_range {{.*}} : tensor<1024xi32, #[[$D]]>
// CHECK-DAG: arith.constant dense<2> : tensor<1024xi32, #[[$D]]>
// CHECK: arith.muli %arg1, %arg1 : i32
// CHECK: tt.splat %{{.*}} : i32 -> tensor<1024xi32, #[[$D]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store {{.*}} : tensor<1024x!tt.ptr<i32>, #[[$D]]>
tt.func public @add(%p: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %c = arith.constant dense<2> : tensor<1024xi32>
  %m = arith.muli %n, %n : i32
  %s = tt.splat %m : i32 -> tensor<1024xi32>
  %x = arith.addi %r, %c : tensor<1024xi32>
  %y = arith.addi %x, %s : tensor<1024xi32>
  %q = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %a = tt.addptr %q, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %a, %y : tensor<1024x!tt.ptr<i32>>
  tt.return
}

// -----

// Ops that relate shapes get their operand in the layout that the result implies.

// CHECK: #[[$D1:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32]
// CHECK: #[[$D2:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [8, 1], order = [1, 0]}>
// CHECK: #[[$D3:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 2], order = [1, 0]}>
// CHECK-LABEL: tt.func public @rows
// CHECK: %[[S:.*]] = ttg.convert_layout %{{.*}} : tensor<64xi32, #[[$D1]]> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #[[$D2]]}>>
// CHECK: %[[E:.*]] = tt.expand_dims %[[S]] {{.*}} -> tensor<64x1xi32, #[[$D2]]>
// CHECK: %[[C:.*]] = ttg.convert_layout %[[E]] : tensor<64x1xi32, #[[$D2]]> -> tensor<64x1xi32, #[[$D3]]>
// CHECK: tt.broadcast %[[C]] : tensor<64x1xi32, #[[$D3]]> -> tensor<64x64xi32, #[[$D3]]>
tt.func public @rows(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %e = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %b = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x64xi32>
  %q = tt.splat %p : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %a = tt.addptr %q, %b : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
  tt.store %a, %b : tensor<64x64x!tt.ptr<i32>>
  tt.return
}

// -----

// Values that loops and branches carry.

// CHECK-LABEL: tt.func public @loop
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<256xf32, #{{.*}}>)
// CHECK: scf.if {{.*}} -> (tensor<256xf32, #{{.*}}>)
tt.func public @loop(%n: i32, %x: f32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %s = tt.splat %x : f32 -> tensor<256xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256xf32>) : i32 {
    %odd = arith.cmpi sgt, %i, %c1 : i32
    %v = scf.if %odd -> (tensor<256xf32>) {
      %t = arith.addf %acc, %s : tensor<256xf32>
      scf.yield %t : tensor<256xf32>
    } else {
      scf.yield %acc : tensor<256xf32>
    }
    scf.yield %v : tensor<256xf32>
  }
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  tt.store %q, %r : tensor<256x!tt.ptr<f32>>
  tt.return
}
