// Pairs of ops that one op does, and those that stay two.
//
// RUN: tessera-opt %s -tt-combine -split-input-file | FileCheck %s

// CHECK-LABEL: @accumulate
// CHECK-SAME: (%[[A:.*]]: tensor<32x32xf16>, %[[B:.*]]: tensor<32x32xf16>, %[[X:.*]]: tensor<32x32xf32>, %{{.*}}: i1)
tt.func @accumulate(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %x: tensor<32x32xf32>, %c: i1) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  // CHECK-NOT: arith.constant
  // CHECK: %[[D0:.*]] = tt.dot %[[A]], %[[B]], %[[X]] :
  // CHECK: %[[D1:.*]] = tt.dot %[[A]], %[[B]], %[[X]], inputPrecision = tf32 {tt.kept} :
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %negative = arith.constant dense<-0.0> : tensor<32x32xf32>
  %0 = tt.dot %a, %b, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %1 = arith.addf %0, %x : tensor<32x32xf32>
  %2 = tt.dot %a, %b, %negative, inputPrecision = tf32 {tt.kept} : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %3 = arith.addf %x, %2 : tensor<32x32xf32>
  // Of two dots the second takes the first; a zero that is still a splat is one.
  // CHECK: %[[ZERO:.*]] = tt.splat
  // CHECK: %[[D2:.*]] = tt.dot %[[A]], %[[B]], %[[ZERO]] :
  // CHECK: %[[D3:.*]] = tt.dot %[[B]], %[[A]], %[[D2]] :
  %f = arith.constant 0.0 : f32
  %splat = tt.splat %f : f32 -> tensor<32x32xf32>
  %4 = tt.dot %a, %b, %splat : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %5 = tt.dot %b, %a, %splat : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %6 = arith.addf %4, %5 : tensor<32x32xf32>
  // In a branch it runs no more often.
  // CHECK: %[[IF:.*]] = scf.if
  // CHECK-NEXT: %[[D4:.*]] = tt.dot %[[A]], %[[B]], %[[X]] :
  // CHECK-NEXT: scf.yield %[[D4]]
  %7 = tt.dot %a, %b, %splat : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %8 = scf.if %c -> (tensor<32x32xf32>) {
    %9 = arith.addf %7, %x : tensor<32x32xf32>
    scf.yield %9 : tensor<32x32xf32>
  } else {
    scf.yield %x : tensor<32x32xf32>
  }
  // CHECK: tt.return %[[D0]], %[[D1]], %[[D3]], %[[IF]]
  tt.return %1, %3, %6, %8 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// Integers wrap around in both forms, whatever is promised of the sum.
// CHECK-LABEL: @accumulate_integers
// CHECK-SAME: (%[[A:.*]]: tensor<32x32xi8>, %[[B:.*]]: tensor<32x32xi8>, %[[P:.*]]: tensor<32x32x!tt.ptr<i32>>)
tt.func @accumulate_integers(%a: tensor<32x32xi8>, %b: tensor<32x32xi8>, %p: tensor<32x32x!tt.ptr<i32>>) -> tensor<32x32xi32> {
  // The dot waits for what it accumulates.
  // CHECK-NEXT: %[[X:.*]] = tt.load %[[P]]
  // CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[X]] {maxNumImpreciseAcc = 32 : i32}
  // CHECK-NEXT: tt.return %[[D]]
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %0 = tt.dot %a, %b, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  %x = tt.load %p : tensor<32x32x!tt.ptr<i32>>
  %1 = arith.addi %x, %0 overflow<nsw> : tensor<32x32xi32>
  tt.return %1 : tensor<32x32xi32>
}

// -----

// CHECK-LABEL: @accumulate_not
tt.func @accumulate_not(%a: tensor<32x32xf8E5M2>, %b: tensor<32x32xf8E5M2>, %x: tensor<32x32xf32>, %n: i32) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %one = arith.constant dense<1.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // At low precision `x` would suffer, too.
  // CHECK: tt.dot
  // CHECK-NEXT: arith.addf
  %0 = tt.dot %a, %b, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<32x32xf8E5M2> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %1 = arith.addf %0, %x : tensor<32x32xf32>
  // Somebody else reads the product.
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: arith.addf
  %2 = tt.dot %a, %b, %zero : tensor<32x32xf8E5M2> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %3 = arith.addf %2, %x : tensor<32x32xf32>
  // It has an accumulator.
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: arith.addf
  %4 = tt.dot %a, %b, %one : tensor<32x32xf8E5M2> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %5 = arith.addf %4, %x : tensor<32x32xf32>
  // x + x
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: arith.addf
  %6 = tt.dot %b, %a, %zero : tensor<32x32xf8E5M2> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %7 = arith.addf %6, %6 : tensor<32x32xf32>
  // Once before the loop is better than n times in it.
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: arith.addf
  %8 = tt.dot %b, %b, %zero : tensor<32x32xf8E5M2> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %9 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<32x32xf32>) : i32 {
    %10 = arith.addf %8, %sum : tensor<32x32xf32>
    scf.yield %10 : tensor<32x32xf32>
  }
  tt.return %1, %2, %3, %5, %7, %9 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// CHECK-LABEL: @pointers
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i64, %[[J:.*]]: i64, %[[V:.*]]: tensor<8x!tt.ptr<f32>>)
tt.func @pointers(%p: !tt.ptr<f32>, %i: i64, %j: i64, %v: tensor<8x!tt.ptr<f32>>) -> (!tt.ptr<f32>, !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>) {
  // 64 bits wrap around as addresses do. The hint is about the result.
  // CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[J]] : i64
  // CHECK: %[[R0:.*]] = tt.addptr %[[P]], %[[SUM]] {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i64
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i64
  %1 = tt.addptr %0, %j {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i64
  // CHECK: %[[C6:.*]] = arith.constant 6 : i32
  // CHECK: %[[R1:.*]] = tt.addptr %[[P]], %[[C6]] : !tt.ptr<f32>, i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %2 = tt.addptr %p, %c1 : !tt.ptr<f32>, i32
  %3 = tt.addptr %2, %c2 : !tt.ptr<f32>, i32
  %4 = tt.addptr %3, %c3 : !tt.ptr<f32>, i32
  // CHECK: %[[NONE:.*]] = arith.constant dense<-2> : tensor<8xi8>
  // CHECK: %[[R2:.*]] = tt.addptr %[[V]], %[[NONE]] : tensor<8x!tt.ptr<f32>>, tensor<8xi8>
  %minus = arith.constant dense<-5> : tensor<8xi8>
  %three = arith.constant dense<3> : tensor<8xi8>
  %5 = tt.addptr %v, %minus : tensor<8x!tt.ptr<f32>>, tensor<8xi8>
  %6 = tt.addptr %5, %three : tensor<8x!tt.ptr<f32>>, tensor<8xi8>
  // With constants it costs nothing, even where the pointer between is needed.
  // CHECK: %[[R3:.*]] = tt.addptr %[[P]], %{{.*}} : !tt.ptr<f32>, i64
  // CHECK: %[[C30:.*]] = arith.constant 30 : i64
  // CHECK: %[[R4:.*]] = tt.addptr %[[P]], %[[C30]] : !tt.ptr<f32>, i64
  %c10 = arith.constant 10 : i64
  %c20 = arith.constant 20 : i64
  %7 = tt.addptr %p, %c10 : !tt.ptr<f32>, i64
  %8 = tt.addptr %7, %c20 : !tt.ptr<f32>, i64
  // CHECK: tt.return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]]
  tt.return %1, %4, %6, %7, %8 : !tt.ptr<f32>, !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: @pointers_not
// CHECK-NOT: arith.addi
tt.func @pointers_not(%p: !tt.ptr<f32>, %i: i32, %j: i32, %k: i64) -> (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) {
  // i + j may not fit into 32 bits.
  // CHECK: %[[P0:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  // CHECK: tt.addptr %[[P0]]
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %j : !tt.ptr<f32>, i32
  // Nor does this one.
  // CHECK: %[[P2:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  // CHECK: tt.addptr %[[P2]]
  %most = arith.constant 2147483647 : i32
  %c1 = arith.constant 1 : i32
  %2 = tt.addptr %p, %most : !tt.ptr<f32>, i32
  %3 = tt.addptr %2, %c1 : !tt.ptr<f32>, i32
  // Different widths.
  // CHECK: %[[P4:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  // CHECK: tt.addptr %[[P4]]
  %4 = tt.addptr %p, %j : !tt.ptr<f32>, i32
  %5 = tt.addptr %4, %k : !tt.ptr<f32>, i64
  // The pointer between is needed: one op more, none less.
  // CHECK: %[[P6:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
  // CHECK: tt.addptr %[[P6]]
  %6 = tt.addptr %p, %k : !tt.ptr<f32>, i64
  %7 = tt.addptr %6, %k : !tt.ptr<f32>, i64
  // What is known of it would be lost.
  // CHECK: %[[P8:.*]] = tt.addptr %{{.*}}, %{{.*}} {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i64
  // CHECK: tt.addptr %[[P8]]
  %8 = tt.addptr %p, %k {tt.divisibility = 16 : i32} : !tt.ptr<f32>, i64
  %9 = tt.addptr %8, %k : !tt.ptr<f32>, i64
  tt.return %1, %3, %5, %6, %7, %9 : !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: @select
// CHECK-SAME: (%[[C:.*]]: i1, %[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[O:.*]]: tensor<8xf32>, %[[S:.*]]: !tt.ptr<f32>, %[[F:.*]]: f32)
tt.func @select(%c: i1, %p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>, %s: !tt.ptr<f32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, f32, tensor<8xf32>) {
  // CHECK: %[[MASK:.*]] = tt.splat %[[C]]
  // CHECK: %[[L0:.*]] = tt.load %[[P]], %[[MASK]], %[[O]] cacheModifier = cg {isVolatile = true}
  %mask = tt.splat %c : i1 -> tensor<8xi1>
  %0 = tt.load %p, %mask cacheModifier = cg {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %c, %0, %o : tensor<8xf32>
  // What the load gives elsewhere is never seen.
  // CHECK: %[[L1:.*]] = tt.load %[[P]], %[[MASK]], %[[O]] :
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %2 = tt.load %p, %mask, %zero : tensor<8x!tt.ptr<f32>>
  %3 = arith.select %mask, %2, %o : tensor<8xi1>, tensor<8xf32>
  // CHECK: %[[L2:.*]] = tt.load %[[P]], %[[M]], %[[O]] :
  %4 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %5 = arith.select %m, %4, %o : tensor<8xi1>, tensor<8xf32>
  // CHECK: %[[L3:.*]] = tt.load %[[S]], %[[C]], %[[F]] :
  %6 = tt.load %s, %c : !tt.ptr<f32>
  %7 = arith.select %c, %6, %f : f32
  // A later value: the load waits for it, as nothing writes.
  // CHECK: %[[LATER:.*]] = arith.addf
  // CHECK: %[[L4:.*]] = tt.load %[[P]], %[[M]], %[[LATER]] :
  %8 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %later = arith.addf %o, %5 : tensor<8xf32>
  %9 = arith.select %m, %8, %later : tensor<8xi1>, tensor<8xf32>
  // CHECK: tt.return %[[L0]], %[[L1]], %[[L2]], %[[L3]], %[[L4]]
  tt.return %1, %3, %5, %7, %9 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, f32, tensor<8xf32>
}

// -----

// CHECK-LABEL: @select_past_store
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[O:.*]]: tensor<8xf32>)
tt.func @select_past_store(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // The load stays before the store that changes what it reads.
  // CHECK-NEXT: %[[L0:.*]] = tt.load %[[P]], %[[M]], %[[O]]
  // CHECK-NEXT: tt.store %[[P]], %[[O]]
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.store %p, %o : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %m, %0, %o : tensor<8xi1>, tensor<8xf32>
  // Here it would have to pass it.
  // CHECK-NEXT: %[[L1:.*]] = tt.load %[[P]], %[[M]] :
  // CHECK-NEXT: %[[LATER:.*]] = arith.addf
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: %[[R:.*]] = arith.select %[[M]], %[[L1]], %[[LATER]]
  // CHECK-NEXT: tt.return %[[L0]], %[[R]]
  %2 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %later = arith.addf %o, %1 : tensor<8xf32>
  tt.store %p, %o : tensor<8x!tt.ptr<f32>>
  %3 = arith.select %m, %2, %later : tensor<8xi1>, tensor<8xf32>
  tt.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @select_not
tt.func @select_not(%c: i1, %p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // Another condition than the mask; no mask; the other way round; two readers.
  // CHECK-COUNT-4: arith.select
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %c, %0, %o : tensor<8xf32>
  %2 = tt.load %p : tensor<8x!tt.ptr<f32>>
  %3 = arith.select %c, %2, %o : tensor<8xf32>
  %4 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %5 = arith.select %m, %o, %4 : tensor<8xi1>, tensor<8xf32>
  %6 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %7 = arith.select %m, %6, %o : tensor<8xi1>, tensor<8xf32>
  tt.return %1, %3, %5, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @broadcast
tt.func @broadcast(%x: tensor<2x1xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4xi32>) {
  // CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<2x4xf32>
  %ones = arith.constant dense<1.0> : tensor<2x1xf32>
  %0 = tt.broadcast %ones : tensor<2x1xf32> -> tensor<2x4xf32>
  // CHECK: %[[B1:.*]] = tt.broadcast
  %different = arith.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %1 = tt.broadcast %different : tensor<2x1xi32> -> tensor<2x4xi32>
  // CHECK: %[[B2:.*]] = tt.broadcast
  %2 = tt.broadcast %x : tensor<2x1xi32> -> tensor<2x4xi32>
  // CHECK: tt.return %[[C]], %[[B1]], %[[B2]]
  tt.return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xi32>, tensor<2x4xi32>
}
