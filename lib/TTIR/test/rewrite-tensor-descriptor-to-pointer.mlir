// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer | FileCheck %s
// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Every dimension is checked; the last stride is not read.
// CHECK-LABEL: tt.func public @load
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64, %[[I:.*]]: i32)
// CHECK: %[[M64:.*]] = arith.extsi %[[M]] : i32 to i64
// CHECK: %[[N64:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[ROWS:.*]] = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
// CHECK: %[[FROM:.*]] = tt.splat %[[I64]] : i64 -> tensor<64xi64>
// CHECK: %[[SUM:.*]] = arith.addi %[[FROM]], %{{.*}} : tensor<64xi64>
// CHECK: %[[COLUMNS:.*]] = tt.expand_dims %[[SUM]] {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
// CHECK: %[[S2:.*]] = tt.splat %[[S]] : i64 -> tensor<32x1xi64>
// CHECK: %[[DOWN:.*]] = arith.muli %[[ROWS]], %[[S2]] : tensor<32x1xi64>
// CHECK: %[[BASES:.*]] = tt.splat %[[BASE]] : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
// CHECK: %[[STARTS:.*]] = tt.addptr %[[BASES]], %[[DOWN]] : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi64>
// CHECK: %[[P:.*]] = tt.broadcast %[[STARTS]] : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
// CHECK: %[[D:.*]] = tt.broadcast %[[COLUMNS]] : tensor<1x64xi64> -> tensor<32x64xi64>
// CHECK: %[[POINTERS:.*]] = tt.addptr %[[P]], %[[D]] : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi64>
// CHECK: tt.splat %[[M64]] : i64 -> tensor<32x1xi64>
// CHECK: arith.cmpi sge, %[[ROWS]], %{{.*}} : tensor<32x1xi64>
// CHECK: arith.cmpi slt, %[[ROWS]], %{{.*}} : tensor<32x1xi64>
// CHECK: tt.splat %[[N64]] : i64 -> tensor<1x64xi64>
// CHECK: arith.cmpi sge, %[[COLUMNS]], %{{.*}} : tensor<1x64xi64>
// CHECK: arith.cmpi slt, %[[COLUMNS]], %{{.*}} : tensor<1x64xi64>
// CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<32x64xi1>
// CHECK: %[[OTHER:.*]] = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
// CHECK: tt.load %[[POINTERS]], %[[MASK]], %[[OTHER]] cacheModifier = cg evictionPolicy = evict_last : tensor<32x64x!tt.ptr<f16>>
tt.func public @load(%base: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %i: i32) -> tensor<32x64xf16> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %n], [%s, %c1] : <f16>, <tensor<32x64xf16>>
  %v = tt.descriptor_load %d[%c0, %i] cacheModifier = cg evictionPolicy = evict_last : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  tt.return %v : tensor<32x64xf16>
}

// NaN lies outside; leading dimensions of size one go and come.
// CANON-LABEL: tt.func public @store_rank_reduced
// CANON-DAG: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<1x32x64xf16>
// CANON: %[[BLOCK:.*]] = tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<1x32x64x!tt.ptr<f16>>
// CANON: tt.store %{{.*}}, %[[BLOCK]], %{{.*}} : tensor<1x32x64x!tt.ptr<f16>>
// CHECK-LABEL: tt.func public @store_rank_reduced
// CHECK: %[[BLOCK:.*]] = tt.load {{.*}} : tensor<1x32x64x!tt.ptr<f16>>
// CHECK: %[[V:.*]] = tt.reshape %[[BLOCK]] : tensor<1x32x64xf16> -> tensor<32x64xf16>
// CHECK: %[[W:.*]] = tt.reshape %[[V]] : tensor<32x64xf16> -> tensor<1x32x64xf16>
// CHECK: tt.store %{{.*}}, %[[W]], %{{.*}} {hint} : tensor<1x32x64x!tt.ptr<f16>>
tt.func public @store_rank_reduced(%base: !tt.ptr<f16>, %m: i32, %s: i64, %i: i32) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %m, %m], [%s, %s, %c1] {padding = 2 : i32} : <f16>, <tensor<1x32x64xf16>>
  %v = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x32x64xf16>> -> tensor<32x64xf16>
  tt.descriptor_store %d[%i, %i, %i], %v {hint} : !tt.tensordesc<tensor<1x32x64xf16>>, tensor<32x64xf16>
  tt.return
}

// Rows by number, signless in memory.
// CHECK-LABEL: tt.func public @rows
// CHECK: %[[WIDE:.*]] = arith.extsi %arg3 : tensor<32xi32> to tensor<32xi64>
// CHECK: %[[ROWS:.*]] = tt.expand_dims %[[WIDE]] {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
// CHECK: arith.cmpi sge, %[[ROWS]], %{{.*}} : tensor<32x1xi64>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<32x64xi8>
// CHECK: %[[V:.*]] = tt.load %{{.*}}, %{{.*}}, %[[ZERO]] : tensor<32x64x!tt.ptr<i8>>
// CHECK: tt.store %{{.*}}, %[[V]], %{{.*}} : tensor<32x64x!tt.ptr<i8>>
tt.func public @rows(%base: !tt.ptr<i8>, %m: i32, %s: i64, %rows: tensor<32xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %base, [%m, %m], [%s, %c1] : <i8>, <tensor<1x64xui8>>
  %v = tt.descriptor_gather %d[%rows, %c0] : (!tt.tensordesc<tensor<1x64xui8>>, tensor<32xi32>, i32) -> tensor<32x64xi8>
  tt.descriptor_scatter %d[%rows, %c0], %v : !tt.tensordesc<tensor<1x64xui8>>, tensor<32xi32>, i32, tensor<32x64xi8>
  tt.return
}

// Reductions become atomics; minima and maxima need a sign.
// CHECK-LABEL: tt.func public @reduce
// CHECK: tt.atomic_rmw add, release, gpu, %{{.*}}, %arg3, %{{.*}} : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>, tensor<16xi1>) -> tensor<16xi32>
// CHECK: tt.atomic_rmw umin, release, gpu
// CHECK: tt.atomic_rmw umax, release, gpu
// CHECK: tt.atomic_rmw and, release, gpu
// CHECK: tt.atomic_rmw or, release, gpu
// CHECK: tt.atomic_rmw xor, release, gpu
// CHECK: tt.atomic_rmw min, release, gpu
// CHECK: tt.atomic_rmw max, release, gpu
// CHECK: tt.atomic_rmw fadd, release, gpu, %{{.*}} : (tensor<16x!tt.ptr<bf16>>, tensor<16xbf16>, tensor<16xi1>) -> tensor<16xbf16>
tt.func public @reduce(%base: !tt.ptr<i32>, %n: i32, %i: i32, %v: tensor<16xi32>, %fbase: !tt.ptr<bf16>, %f: tensor<16xbf16>) {
  %c1 = arith.constant 1 : i64
  %u = tt.make_tensor_descriptor %base, [%n], [%c1] : <i32>, <tensor<16xui32>>
  %s = tt.make_tensor_descriptor %base, [%n], [%c1] : <i32>, <tensor<16xsi32>>
  %d = tt.make_tensor_descriptor %fbase, [%n], [%c1] : <bf16>, <tensor<16xbf16>>
  tt.descriptor_reduce add, %u[%i], %v : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>
  tt.descriptor_reduce min, %u[%i], %v : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>
  tt.descriptor_reduce max, %u[%i], %v : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>
  tt.descriptor_reduce and, %u[%i], %v : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>
  tt.descriptor_reduce or, %u[%i], %v : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>
  tt.descriptor_reduce xor, %u[%i], %v : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>
  tt.descriptor_reduce min, %s[%i], %v : !tt.tensordesc<tensor<16xsi32>>, tensor<16xi32>
  tt.descriptor_reduce max, %s[%i], %v : !tt.tensordesc<tensor<16xsi32>>, tensor<16xi32>
  tt.descriptor_reduce add, %d[%i], %f : !tt.tensordesc<tensor<16xbf16>>, tensor<16xbf16>
  tt.return
}

// A kernel's descriptor becomes its base, in front of its sizes and strides: multiples of 16 bytes.
// CHECK-LABEL: tt.func public @argument
// CHECK-SAME: (%arg0: i32, %[[BASE:.*]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %[[M32:.*]]: i32, %[[N32:.*]]: i32, %[[S:.*]]: i64 {tt.divisibility = 4 : i32}, %{{.*}}: i64, %{{.*}}: i32 {tt.divisibility = 8 : i32})
// CHECK: %[[M:.*]] = arith.extsi %[[M32]] : i32 to i64
// CHECK: %[[N:.*]] = arith.extsi %[[N32]] : i32 to i64
// CHECK: tt.splat %[[S]] : i64 -> tensor<8x1xi64>
// CHECK: tt.splat %[[BASE]] : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
// CHECK: tt.splat %[[M]] : i64 -> tensor<8x1xi64>
// CHECK: tt.splat %[[N]] : i64 -> tensor<1x16xi64>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<8x16xf32>
// CHECK: tt.load %{{.*}}, %{{.*}}, %[[ZEROS]] : tensor<8x16x!tt.ptr<f32>>
tt.func public @argument(%i: i32, %d: !tt.tensordesc<tensor<8x16xf32>> {tt.nv_tma_desc = 1 : i32}, %m: i32, %n: i32, %s: i64, %t: i64, %j: i32 {tt.divisibility = 8 : i32}) -> tensor<8x16xf32> {
  %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.return %v : tensor<8x16xf32>
}

// Two of them. Larger promises stay; sizes and strides that the kernel does not take are added.
// The second is padded with NaN.
// CHECK-LABEL: tt.func public @arguments
// CHECK-SAME: (%[[A:.*]]: !tt.ptr<i8> {tt.divisibility = 128 : i32}, %[[M:.*]]: i32, %{{.*}}: i32 {tt.divisibility = 16 : i32}, %[[S:.*]]: i64 {tt.divisibility = 32 : i32}, %{{.*}}: i64, %[[B:.*]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64 {tt.divisibility = 8 : i32}, %{{.*}}: i64, %{{.*}}: i32)
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x16x!tt.ptr<i8>>
// CHECK: %[[NANS:.*]] = arith.constant dense<0x7E00> : tensor<4x16xf16>
// CHECK: tt.load %{{.*}}, %{{.*}}, %[[NANS]] : tensor<4x16x!tt.ptr<f16>>
tt.func public @arguments(%a: !tt.tensordesc<tensor<4x16xui8>> {tt.divisibility = 128 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 32 : i32}, %t: i64, %b: !tt.tensordesc<tensor<4x16xf16>> {tt.padding = 2 : i32}, %i: i32) -> (tensor<4x16xi8>, tensor<4x16xf16>) {
  %v = tt.descriptor_load %a[%m, %i] : !tt.tensordesc<tensor<4x16xui8>> -> tensor<4x16xi8>
  %w = tt.descriptor_load %b[%m, %i] : !tt.tensordesc<tensor<4x16xf16>> -> tensor<4x16xf16>
  tt.return %v, %w : tensor<4x16xi8>, tensor<4x16xf16>
}

// Through loops that change descriptors, branches that choose one, and calls.
// CHECK-LABEL: tt.func private @callee
// CHECK-SAME: (%{{.*}}: !tt.ptr<i32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i1) -> (!tt.ptr<i32>, i64, i64, i1)
tt.func private @callee(%d: !tt.tensordesc<tensor<16xi32>>) -> !tt.tensordesc<tensor<16xi32>> attributes {noinline = true} {
  tt.return %d : !tt.tensordesc<tensor<16xi32>>
}
// CHECK-LABEL: tt.func public @flow
// CHECK: %[[IF:.*]]:4 = scf.if %arg4 -> (!tt.ptr<i32>, i64, i64, i1)
// CHECK: scf.for {{.*}} iter_args(%{{.*}}) -> (!tt.ptr<i32>, i64, i64, i1, !tt.ptr<i32>, i64, i64, i1)
// CHECK: } {tt.flatten}
// CHECK: %[[CALL:.*]]:4 = tt.call @callee(%{{.*}}) : (!tt.ptr<i32>, i64, i64, i1) -> (!tt.ptr<i32>, i64, i64, i1)
// CHECK: tt.splat %[[CALL]]#0 : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
// CANON-LABEL: tt.func public @flow
// CANON: scf.for {{.*}} -> (!tt.ptr<i32>, i64, !tt.ptr<i32>, i64)
tt.func public @flow(%a: !tt.ptr<i32>, %b: !tt.ptr<i32>, %n: i32, %i: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %s = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%n], [%s] : <i32>, <tensor<16xi32>>
  %e = tt.make_tensor_descriptor %b, [%n], [%s] : <i32>, <tensor<16xi32>>
  %f = scf.if %c -> (!tt.tensordesc<tensor<16xi32>>) {
    scf.yield %d : !tt.tensordesc<tensor<16xi32>>
  } else {
    scf.yield %e : !tt.tensordesc<tensor<16xi32>>
  }
  %r:2 = scf.for %k = %c0 to %n step %i iter_args(%x = %f, %y = %e) -> (!tt.tensordesc<tensor<16xi32>>, !tt.tensordesc<tensor<16xi32>>) : i32 {
    %v = tt.descriptor_load %x[%k] : !tt.tensordesc<tensor<16xi32>> -> tensor<16xi32>
    tt.descriptor_store %y[%k], %v : !tt.tensordesc<tensor<16xi32>>, tensor<16xi32>
    scf.yield %y, %x : !tt.tensordesc<tensor<16xi32>>, !tt.tensordesc<tensor<16xi32>>
  } {tt.flatten}
  %g = tt.call @callee(%r#0) : (!tt.tensordesc<tensor<16xi32>>) -> !tt.tensordesc<tensor<16xi32>>
  %w = tt.descriptor_load %g[%i] : !tt.tensordesc<tensor<16xi32>> -> tensor<16xi32>
  tt.descriptor_store %r#1[%i], %w : !tt.tensordesc<tensor<16xi32>>, tensor<16xi32>
  tt.return
}

// LOC-LABEL: tt.func private @located
// LOC-SAME: %{{.*}}: !tt.ptr<f16> loc("k.py":3:1), %{{.*}}: i64 loc("k.py":3:1), %{{.*}}: i64 loc("k.py":3:1), %{{.*}}: i1 loc("k.py":3:1)
// LOC-NEXT: arith.extsi {{.*}} loc("k.py":7:9)
// LOC-COUNT-11: loc("k.py":7:9)
// LOC-NOT: loc(unknown)
// LOC: tt.atomic_rmw {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.return
tt.func private @located(%d: !tt.tensordesc<tensor<16xf16>> loc("k.py":3:1), %i: i32, %v: tensor<16xf16>) {
  tt.descriptor_reduce add, %d[%i], %v : !tt.tensordesc<tensor<16xf16>>, tensor<16xf16> loc("k.py":7:9)
  tt.return
}

// Declines: nothing here is a descriptor.
// CHECK-LABEL: tt.func public @declines
// CHECK-SAME: (%arg0: tensor<16x!tt.ptr<f16>>, %arg1: !tt.ptr<f16> {tt.divisibility = 16 : i32})
// CHECK-NEXT: %[[V:.*]] = tt.load %arg0 : tensor<16x!tt.ptr<f16>>
// CHECK-NEXT: tt.store %arg0, %[[V]] : tensor<16x!tt.ptr<f16>>
// CHECK-NEXT: tt.return
tt.func public @declines(%p: tensor<16x!tt.ptr<f16>>, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %v = tt.load %p : tensor<16x!tt.ptr<f16>>
  tt.store %p, %v : tensor<16x!tt.ptr<f16>>
  tt.return
}
