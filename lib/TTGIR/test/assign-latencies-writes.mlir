// Loads that stay in their iteration because of what the loop writes.
// RUN: tessera-opt %s --ttg-assign-latencies=num-stages=5 | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#r = #ttg.slice<{dim = 1, parent = #b}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!p = tensor<64x64x!tt.ptr<f16>, #b>
!i = tensor<64x64xi32, #b>
!t = tensor<64x64xf16, #b>
!tx = tensor<64x64xf16, #x>
!ty = tensor<64x64xf16, #y>
!acc = tensor<64x64xf32, #mma>
!ri = tensor<64xi32, #r>
!rp = tensor<64x!tt.ptr<i32>, #r>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// The loop stores the rows that it gathers: neither they nor the tile run ahead of the
// store, and the tile of the other operand does.

// CHECK-LABEL: @rows_are_stored
// CHECK: tt.load %{{[^{]*}} : tensor<64x!tt.ptr<i32>
// CHECK: tt.load %{{[^{]*}} : tensor<64x64x!tt.ptr<f16>
// CHECK: tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<f16>
tt.func @rows_are_stored(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %rr = tt.make_range {start = 0 : i32, end = 64 : i32} : !ri
  %qs = tt.splat %q : !tt.ptr<i32> -> !rp
  %qp = tt.addptr %qs, %rr : !rp, !ri
  %out:1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %rows = tt.load %qp : !rp
    %column = tt.expand_dims %rows {axis = 1 : i32} : !ri -> tensor<64x1xi32, #b>
    %wide = tt.broadcast %column : tensor<64x1xi32, #b> -> !i
    %off = arith.muli %wide, %step : !i
    %pa = tt.addptr %ap, %off : !p, !i
    %av = tt.load %pa : !p
    %bv = tt.load %bp : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    %next = arith.addi %rows, %rr : !ri
    tt.store %qp, %next : !rp
    scf.yield %d : !acc
  }
  tt.return %out#0 : !acc
}

// An atomic names the tile. It must happen once in each iteration.

// CHECK-LABEL: @tile_from_atomic
// CHECK: tt.atomic_rmw
// CHECK: tt.load %{{[^{]*}} : tensor<64x64x!tt.ptr<f16>
// CHECK: tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<f16>
tt.func @tile_from_atomic(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<i32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %out:1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %tile = tt.atomic_rmw add, relaxed, gpu, %q, %c1 : (!tt.ptr<i32>, i32) -> i32
    %off = tt.splat %tile : i32 -> !i
    %off64 = arith.muli %off, %step : !i
    %pa = tt.addptr %ap, %off64 : !p, !i
    %av = tt.load %pa : !p
    %bv = tt.load %bp : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return %out#0 : !acc
}

// What the program learns by acquiring, it may act on: no load passes the atomic.

// CHECK-LABEL: @acquires
// CHECK-NOT: tt.latency
// CHECK: tt.return
tt.func @acquires(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<i32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %out:1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %seen = tt.atomic_rmw add, acquire, gpu, %q, %c0 : (!tt.ptr<i32>, i32) -> i32
    %off = tt.splat %k : i32 -> !i
    %off64 = arith.muli %off, %step : !i
    %pa = tt.addptr %ap, %off64 : !p, !i
    %av = tt.load %pa : !p
    %bv = tt.load %bp : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    tt.store %q, %seen : !tt.ptr<i32>
    scf.yield %d : !acc
  }
  tt.return %out#0 : !acc
}

// A result that nobody uses tells the program nothing.

// CHECK-LABEL: @counts
// CHECK-COUNT-2: tt.load {{.*}} {tt.latency = 3 : i32}
tt.func @counts(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<i32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %out:1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %seen = tt.atomic_rmw add, acq_rel, gpu, %q, %c1 : (!tt.ptr<i32>, i32) -> i32
    %off = tt.splat %k : i32 -> !i
    %off64 = arith.muli %off, %step : !i
    %pa = tt.addptr %ap, %off64 : !p, !i
    %av = tt.load %pa : !p
    %bv = tt.load %bp : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return %out#0 : !acc
}

// Assembly may wait for another program.

// CHECK-LABEL: @assembly
// CHECK-NOT: tt.latency
// CHECK: tt.return
tt.func @assembly(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<i32>) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %out:1 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %seen = tt.elementwise_inline_asm "ld.acquire.gpu.b32 $0, [$1];" {constraints = "=r,l", packed_element = 1 : i32, pure = false} %q : !tt.ptr<i32> -> i32
    %off = tt.splat %k : i32 -> !i
    %off64 = arith.muli %off, %step : !i
    %pa = tt.addptr %ap, %off64 : !p, !i
    %av = tt.load %pa : !p
    %bv = tt.load %bp : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    scf.yield %d : !acc
  }
  tt.return %out#0 : !acc
}

// The pointer moves to another array after the first iteration, and the loop stores there.

// CHECK-LABEL: @other_array_next
// CHECK: tt.load %{{[^{]*}} : tensor<64x64x!tt.ptr<f16>
// CHECK: tt.load {{.*}} {tt.latency = 3 : i32} : tensor<64x64x!tt.ptr<f16>
tt.func @other_array_next(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %q: !tt.ptr<f16>, %c: i1) -> !acc {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : !i
  %zero = arith.constant dense<0.0> : !acc
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
  %cols = tt.broadcast %row : tensor<1x64xi32, #b> -> !i
  %as = tt.splat %a : !tt.ptr<f16> -> !p
  %ap = tt.addptr %as, %cols : !p, !i
  %bs = tt.splat %b : !tt.ptr<f16> -> !p
  %bp = tt.addptr %bs, %cols : !p, !i
  %qs = tt.splat %q : !tt.ptr<f16> -> !p
  %out:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %ap) -> (!acc, !p) : i32 {
    %av = tt.load %pa : !p
    %bv = tt.load %bp : !p
    %ax = ttg.convert_layout %av : !t -> !tx
    %by = ttg.convert_layout %bv : !t -> !ty
    %d = tt.dot %ax, %by, %acc : !tx * !ty -> !acc
    tt.store %qs, %av : !p
    %pn = arith.select %c, %qs, %pa : !p
    scf.yield %d, %pn : !acc, !p
  }
  tt.return %out#0 : !acc
}
}
