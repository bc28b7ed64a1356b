// Which elements packed assembly takes at once: neighbours in the memory of the load.
// RUN: tessera-opt %s --ttg-assign-pack-groups | FileCheck %s

#rows = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#any = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#any3 = #ttg.blocked<{sizePerThread = [32, 2, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 4, 1], order = [1, 0, 2]}>
#joined = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [1, 32, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
!p = tensor<128x64x!tt.ptr<i8>, #rows>
!pc = tensor<128x64x!tt.ptr<i8>, #columns>
!any = tensor<128x64xi8, #any>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: @rows
// CHECK: packed_element = 4 : i32, pure = true, ttg.pack = array<i32: 1, 0, 1, 1>
// CHECK: packed_element = 2 : i32, pure = true, ttg.pack = array<i32: 1, 0>
// CHECK-NOT: ttg.pack
// CHECK: tt.return
tt.func @rows(%p: !p) -> !any {
  %zero1 = arith.constant dense<0> : tensor<128x64xi32, #rows>
  %hint1 = tt.addptr %p, %zero1 {tt.contiguity = dense<[1, 16]> : tensor<2xi32>} : !p, tensor<128x64xi32, #rows>
  %x = tt.load %hint1 : !p
  %y = ttg.convert_layout %x : tensor<128x64xi8, #rows> -> !any
  %a = tt.elementwise_inline_asm "f" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %y : !any -> !any
  %b = tt.elementwise_inline_asm "g" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %a : !any -> !any
  %c = tt.elementwise_inline_asm "h" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %b : !any -> !any
  tt.return %c : !any
}

// The fastest axis of the load, wherever it goes.

// CHECK-LABEL: @columns
// CHECK: "f" {{.*}} ttg.pack = array<i32: 0, 0, 0, 1>
// CHECK: "transposed" {{.*}} ttg.pack = array<i32: 1, 0, 1, 1>
tt.func @columns(%p: !pc, %c: !any) -> (!any, tensor<64x128xi8, #turned>) {
  %zero2 = arith.constant dense<0> : tensor<128x64xi32, #columns>
  %hint2 = tt.addptr %p, %zero2 {tt.contiguity = dense<[16, 1]> : tensor<2xi32>} : !pc, tensor<128x64xi32, #columns>
  %x = tt.load %hint2 : !pc
  %y = ttg.convert_layout %x : tensor<128x64xi8, #columns> -> !any
  %one = arith.constant dense<1> : !any
  %s = arith.addi %one, %y : !any
  %a = tt.elementwise_inline_asm "f" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %s : !any -> !any
  %t = tt.trans %y {order = array<i32: 1, 0>} : !any -> tensor<64x128xi8, #turned>
  %b = tt.elementwise_inline_asm "transposed" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %t : tensor<64x128xi8, #turned> -> tensor<64x128xi8, #turned>
  tt.return %a, %b : !any, tensor<64x128xi8, #turned>
}

// A reshape keeps the place in row-major order: what is 64 rows apart here was one row apart there.

// CHECK-LABEL: @reshaped
// CHECK: "rows" {{.*}} ttg.pack = array<i32: 2, 0, 2, 1>
// CHECK: "columns" {{.*}} ttg.pack = array<i32: 1, 1, 1, 2>
tt.func @reshaped(%p: !p, %q: !pc) {
  %zero3 = arith.constant dense<0> : tensor<128x64xi32, #rows>
  %hint3 = tt.addptr %p, %zero3 {tt.contiguity = dense<[1, 16]> : tensor<2xi32>} : !p, tensor<128x64xi32, #rows>
  %x = tt.load %hint3 : !p
  %y = ttg.convert_layout %x : tensor<128x64xi8, #rows> -> !any
  %r = tt.reshape %y : !any -> tensor<32x8x32xi8, #any3>
  %a = tt.elementwise_inline_asm "rows" {constraints = "=r,r", packed_element = 4 : i32, pure = false} %r : tensor<32x8x32xi8, #any3> -> tensor<32x8x32xi8, #any3>
  %zero4 = arith.constant dense<0> : tensor<128x64xi32, #columns>
  %hint4 = tt.addptr %q, %zero4 {tt.contiguity = dense<[16, 1]> : tensor<2xi32>} : !pc, tensor<128x64xi32, #columns>
  %u = tt.load %hint4 : !pc
  %v = ttg.convert_layout %u : tensor<128x64xi8, #columns> -> !any
  %w = tt.reshape %v : !any -> tensor<32x8x32xi8, #any3>
  %b = tt.elementwise_inline_asm "columns" {constraints = "=r,r", packed_element = 4 : i32, pure = false} %w : tensor<32x8x32xi8, #any3> -> tensor<32x8x32xi8, #any3>
  tt.return
}

// CHECK-LABEL: @joined
// CHECK: "both" {{.*}} ttg.pack = array<i32: 2, 0, 1, 0>
// CHECK: "one" {{.*}} ttg.pack = array<i32: 1, 0, 1, 1>
tt.func @joined(%p: !p) {
  %zero5 = arith.constant dense<0> : tensor<128x64xi32, #rows>
  %hint5 = tt.addptr %p, %zero5 {tt.contiguity = dense<[1, 16]> : tensor<2xi32>} : !p, tensor<128x64xi32, #rows>
  %x = tt.load %hint5 : !p
  %y = ttg.convert_layout %x : tensor<128x64xi8, #rows> -> !any
  %j = tt.join %y, %y : !any -> tensor<128x64x2xi8, #joined>
  %a = tt.elementwise_inline_asm "both" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %j : tensor<128x64x2xi8, #joined> -> tensor<128x64x2xi8, #joined>
  %l, %h = tt.split %a : tensor<128x64x2xi8, #joined> -> !any
  %b = tt.elementwise_inline_asm "one" {constraints = "=r,r", packed_element = 4 : i32, pure = false} %l : !any -> !any
  tt.return
}

// What a loop carries comes from before it; a product decides for itself.

// CHECK-LABEL: @loops_and_products
// CHECK: "carried" {{.*}} ttg.pack = array<i32: 0, 0, 0, 1>
// CHECK-NOT: ttg.pack
// CHECK: tt.return
tt.func @loops_and_products(%p: !pc, %n: i32, %acc: tensor<128x64xf32, #mma>, %a: tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %b: tensor<16x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero6 = arith.constant dense<0> : tensor<128x64xi32, #columns>
  %hint6 = tt.addptr %p, %zero6 {tt.contiguity = dense<[16, 1]> : tensor<2xi32>} : !pc, tensor<128x64xi32, #columns>
  %x = tt.load %hint6 : !pc
  %y = ttg.convert_layout %x : tensor<128x64xi8, #columns> -> !any
  %out = scf.for %k = %c0 to %n step %c1 iter_args(%v = %y) -> (!any) : i32 {
    %w = tt.elementwise_inline_asm "carried" {constraints = "=r,r", packed_element = 4 : i32, pure = false} %v : !any -> !any
    scf.yield %w : !any
  }
  %d = tt.dot %a, %b, %acc : tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<16x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<128x64xf32, #mma>
  %e = tt.elementwise_inline_asm "product" {constraints = "=r,f,f,f,f", packed_element = 4 : i32, pure = false} %d : tensor<128x64xf32, #mma> -> tensor<128x64xi8, #mma>
  tt.return
}
}
