// RUN: tessera-opt %s --convert-ttir-to-ttgir="target=null num-warps=8" --split-input-file | FileCheck %s

// Every tensor gets the default layout of its shape; scalars stay as they are.

// CHECK: #[[$D:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "null", "ttg.threads-per-warp" = 32 : i32}
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

// -----

// A dot's threads compute squares; its operands lie as they need them.

// CHECK: #[[$SQ:.*]] = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func public @dot
// CHECK: %[[A:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x16xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$SQ]]}>>
// CHECK: %[[B:.*]] = ttg.convert_layout %{{.*}} -> tensor<16x32xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$SQ]]}>>
// CHECK: %[[C:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x32xf32, #[[$SQ]]>
// CHECK: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]]
// CHECK: ttg.convert_layout %[[D]] : tensor<32x32xf32, #[[$SQ]]> -> tensor<32x32xf32, #{{.*}}>
tt.func public @dot(%pa: tensor<32x16x!tt.ptr<f16>>, %pb: tensor<16x32x!tt.ptr<f16>>, %pc: tensor<32x32x!tt.ptr<f32>>) {
  %a = tt.load %pa : tensor<32x16x!tt.ptr<f16>>
  %b = tt.load %pb : tensor<16x32x!tt.ptr<f16>>
  %c = tt.load %pc : tensor<32x32x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %c : tensor<32x16xf16> * tensor<16x32xf16> -> tensor<32x32xf32>
  tt.store %pc, %d : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

// -----

// What a reduction leaves is a slice of what it reduced; scalars are left alone.

// CHECK-LABEL: tt.func public @reductions
// CHECK: %[[R:.*]]:2 = "tt.reduce"(%arg0, %arg1)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
// CHECK: }) : {{.*}} -> (tensor<16xf32, #ttg.slice<{dim = 1, parent = #[[P:.*]]}>>, tensor<16xi32, #ttg.slice<{dim = 1, parent = #[[P]]}>>)
// CHECK: ttg.convert_layout %[[R]]#1
// CHECK: %[[V:.*]] = ttg.convert_layout %[[R]]#0 {{.*}} -> tensor<16xf32, #[[D1:.*]]>
// CHECK: "tt.reduce"(%[[V]])
// CHECK: (tensor<16xf32, #[[D1]]>) -> f32
// CHECK: "tt.scan"(%[[V]])
// CHECK: (tensor<16xf32, #[[D1]]>) -> tensor<16xf32, #[[D1]]>
tt.func public @reductions(%x: tensor<16x64xf32>, %y: tensor<16x64xi32>, %p: tensor<16x!tt.ptr<f32>>, %q: !tt.ptr<f32>, %o: tensor<16x!tt.ptr<i32>>) {
  %r:2 = "tt.reduce"(%x, %y) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %c = arith.addf %a, %b : f32
    %k = arith.addi %i, %j : i32
    tt.reduce.return %c, %k : f32, i32
  }) : (tensor<16x64xf32>, tensor<16x64xi32>) -> (tensor<16xf32>, tensor<16xi32>)
  %all = "tt.reduce"(%r#0) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  %s = "tt.scan"(%r#0) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.store %p, %s : tensor<16x!tt.ptr<f32>>
  tt.store %q, %all : !tt.ptr<f32>
  tt.store %o, %r#1 : tensor<16x!tt.ptr<i32>>
  tt.return
}

// -----

// Two halves are a new register; the elements stay in their threads.

// CHECK: #[[$HALF:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
// CHECK: #[[$BOTH:.*]] = #ttg.linear<{register = {{\[\[}}64]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [0], [0]], block = []}>
// CHECK-LABEL: tt.func public @cat
// CHECK: tt.cat %{{.*}} : tensor<64xf32, #[[$HALF]]> -> tensor<128xf32, #[[$BOTH]]>
tt.func public @cat(%x: tensor<64xf32>, %y: tensor<64xf32>, %p: tensor<128x!tt.ptr<f32>>) {
  %c = tt.cat %x, %y : tensor<64xf32> -> tensor<128xf32>
  tt.store %p, %c : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// Ops whose tensors may have any layout keep the defaults.

// CHECK-LABEL: tt.func public @others
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.gather %{{.*}} : (tensor<64xf32, #[[D:.*]]>, tensor<128xi32, #[[D]]>) -> tensor<128xf32, #[[D]]>
// CHECK: tt.histogram %{{.*}} : tensor<128xi32, #[[D]]> -> tensor<16xi32, #[[D]]>
// CHECK: "tt.map_elementwise"
// CHECK: (tensor<128xf32, #[[D]]>, tensor<128xi32, #[[D]]>) -> (tensor<128xf32, #[[D]]>, tensor<128xi32, #[[D]]>)
// CHECK: tt.elementwise_inline_asm {{.*}} -> tensor<128xi32, #[[D]]>, tensor<128xf32, #[[D]]>
// CHECK: tt.atomic_rmw {{.*}} -> tensor<128xf32, #[[D]]>
// CHECK: tt.print {{.*}} : tensor<16xi32, #[[D]]>
// CHECK: tt.assert {{.*}} : tensor<128xi1, #[[D]]>
// CHECK-NOT: ttg.convert_layout
tt.func public @others(%x: tensor<64xf32>, %i: tensor<128xi32>, %p: tensor<128x!tt.ptr<f32>>) {
  %g = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32>, tensor<128xi32>) -> tensor<128xf32>
  %h = tt.histogram %i : tensor<128xi32> -> tensor<16xi32>
  %m:2 = "tt.map_elementwise"(%g, %i) <{pack = 1 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    tt.map_elementwise.return %a, %b : f32, i32
  }) : (tensor<128xf32>, tensor<128xi32>) -> (tensor<128xf32>, tensor<128xi32>)
  %asm:2 = tt.elementwise_inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;" {constraints = "=r,=f,r", packed_element = 1 : i32, pure = true} %m#1 : tensor<128xi32> -> tensor<128xi32>, tensor<128xf32>
  %o = tt.atomic_rmw fadd, acq_rel, gpu, %p, %asm#1 : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) -> tensor<128xf32>
  tt.print "h: " {hex = false, isSigned = array<i32: 1>} : %h : tensor<16xi32>
  %c = arith.cmpi eq, %i, %asm#0 : tensor<128xi32>
  tt.assert %c, "equal" : tensor<128xi1>
  tt.return
}
