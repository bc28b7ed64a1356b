// RUN: tessera-opt %s --tt-rewrite-tensor-pointer | FileCheck %s
// RUN: tessera-opt %s --tt-rewrite-tensor-pointer --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: tessera-opt %s --tt-rewrite-tensor-pointer --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Pointers grow dimension by dimension; one dimension is checked, and zeros lie outside.
// CHECK-LABEL: tt.func public @load
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-DAG: %[[J64:.*]] = arith.extsi %[[J]] : i32 to i64
// CHECK: %[[RANGE0:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
// CHECK: %[[WIDE0:.*]] = arith.extsi %[[RANGE0]] : tensor<32xi32> to tensor<32xi64>
// CHECK: %[[FROM0:.*]] = tt.splat %[[I64]] : i64 -> tensor<32xi64>
// CHECK: %[[SUM0:.*]] = arith.addi %[[FROM0]], %[[WIDE0]] : tensor<32xi64>
// CHECK: %[[ROWS:.*]] = tt.expand_dims %[[SUM0]] {axis = 1 : i32} : tensor<32xi64> -> tensor<32x1xi64>
// CHECK: %[[SUM1:.*]] = arith.addi {{.*}} : tensor<64xi64>
// CHECK: %[[COLUMNS:.*]] = tt.expand_dims %[[SUM1]] {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
// CHECK: %[[S2:.*]] = tt.splat %[[S]] : i64 -> tensor<32x1xi64>
// CHECK: %[[DOWN:.*]] = arith.muli %[[ROWS]], %[[S2]] : tensor<32x1xi64>
// CHECK: %[[BASES:.*]] = tt.splat %[[BASE]] : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
// CHECK: %[[STARTS:.*]] = tt.addptr %[[BASES]], %[[DOWN]] : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi64>
// CHECK: %[[ONES:.*]] = tt.splat %[[ONE]] : i64 -> tensor<1x64xi64>
// CHECK: %[[ACROSS:.*]] = arith.muli %[[COLUMNS]], %[[ONES]] : tensor<1x64xi64>
// CHECK: %[[P:.*]] = tt.broadcast %[[STARTS]] : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
// CHECK: %[[D:.*]] = tt.broadcast %[[ACROSS]] : tensor<1x64xi64> -> tensor<32x64xi64>
// CHECK: %[[POINTERS:.*]] = tt.addptr %[[P]], %[[D]] : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi64>
// CHECK: %[[SIZE:.*]] = tt.splat %[[N]] : i64 -> tensor<1x64xi64>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<1x64xi64>
// CHECK: %[[ABOVE:.*]] = arith.cmpi sge, %[[COLUMNS]], %[[ZERO]] : tensor<1x64xi64>
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[COLUMNS]], %[[SIZE]] : tensor<1x64xi64>
// CHECK: %[[INSIDE:.*]] = arith.andi %[[ABOVE]], %[[BELOW]] : tensor<1x64xi1>
// CHECK: %[[MASK:.*]] = tt.broadcast %[[INSIDE]] : tensor<1x64xi1> -> tensor<32x64xi1>
// CHECK: %[[OTHER:.*]] = arith.constant dense<0.000000e+00> : tensor<32x64xf16>
// CHECK: tt.load %[[POINTERS]], %[[MASK]], %[[OTHER]] cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<32x64x!tt.ptr<f16>>
tt.func public @load(%base: !tt.ptr<f16>, %m: i64, %n: i64, %s: i64, %i: i32, %j: i32) -> tensor<32x64xf16> {
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %base, [%m, %n], [%s, %c1], [%i, %j] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  %v = tt.load %p cacheModifier = cg evictionPolicy = evict_first {boundaryCheck = array<i32: 1>, padding = 1 : i32, isVolatile = true} : !tt.ptr<tensor<32x64xf16>>
  tt.return %v : tensor<32x64xf16>
}

// Both dimensions are checked before a store, in any order; attributes stay.
// CHECK-LABEL: tt.func public @store
// CHECK: %[[POINTERS:.*]] = tt.addptr {{.*}} : tensor<32x64x!tt.ptr<f16>>
// CHECK: %[[COLUMNS:.*]] = arith.andi {{.*}} : tensor<1x64xi1>
// CHECK: %[[ROWS:.*]] = arith.andi {{.*}} : tensor<32x1xi1>
// CHECK: %[[B0:.*]] = tt.broadcast %[[COLUMNS]] : tensor<1x64xi1> -> tensor<32x64xi1>
// CHECK: %[[B1:.*]] = tt.broadcast %[[ROWS]] : tensor<32x1xi1> -> tensor<32x64xi1>
// CHECK: %[[MASK:.*]] = arith.andi %[[B0]], %[[B1]] : tensor<32x64xi1>
// CHECK: tt.store %[[POINTERS]], %{{.*}}, %[[MASK]] cacheModifier = wt {hint = 1 : i32} : tensor<32x64x!tt.ptr<f16>>
tt.func public @store(%base: !tt.ptr<f16>, %m: i64, %s: i64, %i: i32, %v: tensor<32x64xf16>) {
  %p = tt.make_tensor_ptr %base, [%m, %m], [%s, %s], [%i, %i] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  tt.store %p, %v cacheModifier = wt {boundaryCheck = array<i32: 1, 0>, hint = 1 : i32} : !tt.ptr<tensor<32x64xf16>>
  tt.return
}

// No boundary check: no mask, and nothing to pad. Integers pad with zero, pointers with null,
// floats of eight bits with their own NaN.
// CHECK-LABEL: tt.func public @padding
// CHECK: tt.load %{{[0-9]+}} : tensor<16x!tt.ptr<i32>>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<16xi32>
// CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}}, %[[ZERO]] : tensor<16x!tt.ptr<i32>>
// CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}} : tensor<16x!tt.ptr<i32>>
// CHECK: %[[NULL:.*]] = tt.int_to_ptr %{{.*}} : tensor<16xi64> -> tensor<16x!tt.ptr<f32>>
// CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}}, %[[NULL]] : tensor<16x!tt.ptr<!tt.ptr<f32>>>
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7F> : tensor<16xf8E4M3FN>
// CHECK: tt.load %{{[0-9]+}}, %{{[0-9]+}}, %[[NAN]] : tensor<16x!tt.ptr<f8E4M3FN>>
tt.func public @padding(%i: !tt.ptr<i32>, %p: !tt.ptr<!tt.ptr<f32>>, %f: !tt.ptr<f8E4M3FN>, %n: i64, %o: i32) {
  %c1 = arith.constant 1 : i64
  %bi = tt.make_tensor_ptr %i, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<16xi32>>
  %bp = tt.make_tensor_ptr %p, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<16x!tt.ptr<f32>>>
  %bf = tt.make_tensor_ptr %f, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<16xf8E4M3FN>>
  %0 = tt.load %bi {padding = 1 : i32} : !tt.ptr<tensor<16xi32>>
  %1 = tt.load %bi {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16xi32>>
  %2 = tt.load %bi {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xi32>>
  %3 = tt.load %bp {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16x!tt.ptr<f32>>>
  %4 = tt.load %bf {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<16xf8E4M3FN>>
  tt.return
}

// One element, at the base.
// CHECK-LABEL: tt.func public @rank_zero
// CHECK: %[[P:.*]] = tt.splat %arg0 : !tt.ptr<f16> -> tensor<!tt.ptr<f16>>
// CHECK: tt.load %[[P]] : tensor<!tt.ptr<f16>>
tt.func public @rank_zero(%base: !tt.ptr<f16>) -> tensor<f16> {
  %p = tt.make_tensor_ptr %base, [], [], [] {order = array<i32>} : <tensor<f16>>
  %v = tt.load %p : !tt.ptr<tensor<f16>>
  tt.return %v : tensor<f16>
}

// Advancing is done in 64 bits; only what changes stays in the loop.
// CHECK-LABEL: tt.func public @for
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg0, {{.*}}) -> (!tt.ptr<f16>, i64, i64, i64, i64, i64, i64)
// CHECK: } {tt.num_stages = 3 : i32}
// CANON-LABEL: tt.func public @for
// CANON: %[[STEP:.*]] = arith.constant 64 : i64
// CANON: scf.for {{.*}} iter_args(%[[J:.*]] = %{{.*}}) -> (i64)
// CANON: %[[JS:.*]] = tt.splat %[[J]] : i64 -> tensor<64xi64>
// CANON: tt.load
// CANON: %[[NEXT:.*]] = arith.addi %[[J]], %[[STEP]] : i64
// CANON: scf.yield %[[NEXT]] : i64
tt.func public @for(%base: !tt.ptr<f16>, %out: !tt.ptr<f16>, %m: i64, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %base, [%m, %m], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%q = %p) -> (!tt.ptr<tensor<32x64xf16>>) : i32 {
    %v = tt.load %q : !tt.ptr<tensor<32x64xf16>>
    %o = tt.make_tensor_ptr %out, [%m, %m], [%s, %c1], [%c0, %i] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
    tt.store %o, %v : !tt.ptr<tensor<32x64xf16>>
    %next = tt.advance %q, [%c0, %c64] : <tensor<32x64xf16>>
    scf.yield %next : !tt.ptr<tensor<32x64xf16>>
  } {tt.num_stages = 3 : i32}
  tt.return
}

// A branch may choose between tensors: the base travels, too.
// CHECK-LABEL: tt.func public @if
// CHECK: %[[P:.*]]:4 = scf.if %arg2 -> (!tt.ptr<f16>, i64, i64, i64)
// CHECK: scf.yield %arg0, %arg3, %{{.*}} : !tt.ptr<f16>, i64, i64, i64
// CHECK: scf.yield %arg1, %arg4, %{{.*}} : !tt.ptr<f16>, i64, i64, i64
// CHECK: tt.splat %[[P]]#0 : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
tt.func public @if(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: i1, %m: i64, %n: i64, %i: i32) -> tensor<16xf16> {
  %c1 = arith.constant 1 : i64
  %p = scf.if %c -> (!tt.ptr<tensor<16xf16>>) {
    %x = tt.make_tensor_ptr %a, [%m], [%c1], [%i] {order = array<i32: 0>} : <tensor<16xf16>>
    scf.yield %x : !tt.ptr<tensor<16xf16>>
  } else {
    %y = tt.make_tensor_ptr %b, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<16xf16>>
    scf.yield %y : !tt.ptr<tensor<16xf16>>
  }
  %v = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf16>>
  tt.return %v : tensor<16xf16>
}

// CHECK-LABEL: tt.func public @while
// CHECK: %[[R:.*]]:5 = scf.while (%{{.*}} = %arg0, {{.*}}) : (!tt.ptr<f16>, i64, i64, i64, i32) -> (!tt.ptr<f16>, i64, i64, i64, i32)
// CHECK: scf.condition(%{{.*}}) %{{.*}} : !tt.ptr<f16>, i64, i64, i64, i32
// CHECK: ^bb0(%[[B:.*]]: !tt.ptr<f16>, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[O:.*]]: i64, %[[I:.*]]: i32):
// CHECK: %[[BY:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %[[BY]] : i64
// CHECK: scf.yield %[[B]], %[[N]], %[[S]], %[[NEXT]], %{{.*}} : !tt.ptr<f16>, i64, i64, i64, i32
// CANON-LABEL: tt.func public @while
// CANON: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i64, i32) -> (i64, i32)
tt.func public @while(%a: !tt.ptr<f16>, %n: i64, %m: i32) -> tensor<16xf16> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %a, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf16>>
  %r:2 = scf.while (%q = %p, %i = %c0) : (!tt.ptr<tensor<16xf16>>, i32) -> (!tt.ptr<tensor<16xf16>>, i32) {
    %more = arith.cmpi slt, %i, %m : i32
    scf.condition(%more) %q, %i : !tt.ptr<tensor<16xf16>>, i32
  } do {
  ^bb0(%q: !tt.ptr<tensor<16xf16>>, %i: i32):
    %next = tt.advance %q, [%m] : <tensor<16xf16>>
    %j = arith.addi %i, %m : i32
    scf.yield %next, %j : !tt.ptr<tensor<16xf16>>, i32
  }
  %v = tt.load %r#0 : !tt.ptr<tensor<16xf16>>
  tt.return %v : tensor<16xf16>
}

// A value that is set on one path only, and a choice without a branch.
// CHECK-LABEL: tt.func public @select
// CHECK: %[[NONE:.*]] = ub.poison : !tt.ptr<f16>
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : !tt.ptr<f16>, i64, i64, i64), ^bb2
// CHECK: ^bb1(%[[B:.*]]: !tt.ptr<f16>, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[O:.*]]: i64):
// CHECK: arith.select %arg3, %[[B]], %arg1 : !tt.ptr<f16>
// CHECK: tt.store
// CHECK: ^bb2:
// CHECK: cf.br ^bb1(%[[NONE]], %{{.*}} : !tt.ptr<f16>, i64, i64, i64)
tt.func public @select(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %n: i64, %c: i1, %v: tensor<16xf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %a, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf16>>
  %q = tt.make_tensor_ptr %b, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf16>>
  %none = ub.poison : !tt.ptr<tensor<16xf16>>
  cf.cond_br %c, ^use(%p : !tt.ptr<tensor<16xf16>>), ^other
^use(%x: !tt.ptr<tensor<16xf16>>):
  %y = arith.select %c, %x, %q : !tt.ptr<tensor<16xf16>>
  tt.store %y, %v : !tt.ptr<tensor<16xf16>>
  tt.return
^other:
  cf.br ^use(%none : !tt.ptr<tensor<16xf16>>)
}

// Functions that were not inlined take and return the parts.
// CHECK-LABEL: tt.func private @callee
// CHECK-SAME: (%arg0: i32 {tt.divisibility = 8 : i32}, %[[B:.*]]: !tt.ptr<f16>, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[O:.*]]: i64, %arg5: i32 {tt.divisibility = 16 : i32}) -> (f32, !tt.ptr<f16>, i64, i64, i64) attributes {noinline = true}
// CHECK: tt.return %{{.*}}, %[[B]], %[[N]], %[[S]], %{{.*}} : f32, !tt.ptr<f16>, i64, i64, i64
tt.func private @callee(%i: i32 {tt.divisibility = 8 : i32}, %p: !tt.ptr<tensor<16xf16>>, %j: i32 {tt.divisibility = 16 : i32}) -> (f32, !tt.ptr<tensor<16xf16>>) attributes {noinline = true} {
  %f = arith.constant 0.0 : f32
  %q = tt.advance %p, [%i] : <tensor<16xf16>>
  tt.return %f, %q : f32, !tt.ptr<tensor<16xf16>>
}
// CHECK-LABEL: tt.func public @caller
// CHECK: %[[R:.*]]:5 = tt.call @callee(%{{.*}}, %arg0, %arg1, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !tt.ptr<f16>, i64, i64, i64, i32) -> (f32, !tt.ptr<f16>, i64, i64, i64)
// CHECK: tt.splat %[[R]]#1 : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
tt.func public @caller(%a: !tt.ptr<f16>, %n: i64) -> tensor<16xf16> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %a, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf16>>
  %r:2 = tt.call @callee(%c0, %p, %c0) : (i32, !tt.ptr<tensor<16xf16>>, i32) -> (f32, !tt.ptr<tensor<16xf16>>)
  %v = tt.load %r#1 : !tt.ptr<tensor<16xf16>>
  tt.return %v : tensor<16xf16>
}

// Code that nothing reaches does not stand in the way.
// CHECK-LABEL: tt.func public @unreachable
// CHECK: tt.return
// CHECK-NEXT: }
tt.func public @unreachable(%a: !tt.ptr<f16>, %n: i64, %i: i32) {
  %p = tt.make_tensor_ptr %a, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<16xf16>>
  tt.return
^dead(%q: !tt.ptr<tensor<16xf16>>):
  %v = tt.load %q : !tt.ptr<tensor<16xf16>>
  tt.store %p, %v : !tt.ptr<tensor<16xf16>>
  cf.br ^dead(%p : !tt.ptr<tensor<16xf16>>)
}

// Every op that a load becomes says where the load was; so does an argument's every part.
// LOC-LABEL: tt.func private @located
// LOC-SAME: %{{.*}}: !tt.ptr<f16> loc("k.py":3:1), %{{.*}}: i64 loc("k.py":3:1), %{{.*}}: i64 loc("k.py":3:1), %{{.*}}: i64 loc("k.py":3:1)
// LOC: arith.addi {{.*}} : i64 loc("k.py":5:2)
// LOC-NEXT: tt.make_range {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.extsi {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.splat {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.addi {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.splat {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.muli {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.splat {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.addptr {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.splat {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.constant {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.cmpi {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.cmpi {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.andi {{.*}} loc("k.py":7:9)
// LOC-NEXT: arith.constant {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.load {{.*}} loc("k.py":7:9)
// LOC-NEXT: tt.return {{.*}} loc("k.py":8:1)
tt.func private @located(%p: !tt.ptr<tensor<16xf16>> loc("k.py":3:1), %i: i32) -> tensor<16xf16> {
  %q = tt.advance %p, [%i] : <tensor<16xf16>> loc("k.py":5:2)
  %v = tt.load %q {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<16xf16>> loc("k.py":7:9)
  tt.return %v : tensor<16xf16> loc("k.py":8:1)
}

// Declines: what goes through pointers already, and what has nothing to do with them.
// CHECK-LABEL: tt.func public @declines
// CHECK-NEXT: scf.for %[[I:.*]] = %arg1 to %arg2 step %arg3 iter_args(%[[Q:.*]] = %arg0) -> (tensor<16x!tt.ptr<f16>>)  : i32 {
// CHECK-NEXT: %[[V:.*]] = tt.load %[[Q]], %arg4 : tensor<16x!tt.ptr<f16>>
// CHECK-NEXT: tt.store %[[Q]], %[[V]] : tensor<16x!tt.ptr<f16>>
// CHECK-NEXT: scf.yield %[[Q]] : tensor<16x!tt.ptr<f16>>
tt.func public @declines(%p: tensor<16x!tt.ptr<f16>>, %l: i32, %u: i32, %s: i32, %m: tensor<16xi1>) {
  %r = scf.for %i = %l to %u step %s iter_args(%q = %p) -> (tensor<16x!tt.ptr<f16>>) : i32 {
    %v = tt.load %q, %m : tensor<16x!tt.ptr<f16>>
    tt.store %q, %v : tensor<16x!tt.ptr<f16>>
    scf.yield %q : tensor<16x!tt.ptr<f16>>
  }
  tt.return
}
