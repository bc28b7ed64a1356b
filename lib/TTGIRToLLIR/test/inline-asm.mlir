// RUN: tessera-opt %s --null-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {

// Four bytes in a register make two registers of two 16-bit elements.

// CHECK-LABEL: llvm.func @packed
// CHECK: %[[IN:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: %[[OUT:.*]] = llvm.inline_asm "split $0, $1, $2", "=r,=r,r" %[[IN]] : (i32) -> !llvm.struct<(i32, i32)>
// CHECK: llvm.extractvalue %[[OUT]][0]
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<2xi16>
// CHECK: llvm.extractvalue %[[OUT]][1]
tt.func public @packed(%x: tensor<128xi8, #b>, %p: tensor<128x!tt.ptr<f16>, #b>) {
  %y = tt.elementwise_inline_asm "split $0, $1, $2" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = true} %x : tensor<128xi8, #b> -> tensor<128xf16, #b>
  tt.store %p, %y : tensor<128x!tt.ptr<f16>, #b>
  tt.return
}

// Several results of different types; floats in integer registers, pointers as integers.

// CHECK-LABEL: llvm.func @several
// CHECK-COUNT-4: llvm.inline_asm has_side_effects "step $0, $1, $2, $3", "=r,=l,f,l,~{memory}" %{{.*}}, %{{.*}} : (f32, i64) -> !llvm.struct<(i32, i64)>
// CHECK: llvm.return
tt.func public @several(%x: tensor<128xf32, #b>, %p: tensor<128x!tt.ptr<f32>, #b>) {
  %y:2 = tt.elementwise_inline_asm "step $0, $1, $2, $3" {constraints = "=r,=l,f,l,~{memory}", packed_element = 1 : i32, pure = false} %x, %p : tensor<128xf32, #b>, tensor<128x!tt.ptr<f32>, #b> -> tensor<128xf32, #b>, tensor<128x!tt.ptr<f32>, #b>
  tt.store %y#1, %y#0 : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}

// A pure statement on equal elements is written once; one element of eight bits, widened.

// CHECK-LABEL: llvm.func @splat
// CHECK: llvm.zext %arg0 : i8 to i32
// CHECK: llvm.inline_asm "increment $0, $1", "=r,r"
// CHECK-NOT: llvm.inline_asm
// CHECK: llvm.trunc %{{.*}} : i32 to i8
// CHECK: llvm.return
tt.func public @splat(%x: i8, %p: tensor<128x!tt.ptr<i8>, #b>) {
  %xs = tt.splat %x : i8 -> tensor<128xi8, #b>
  %y = tt.elementwise_inline_asm "increment $0, $1" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %xs : tensor<128xi8, #b> -> tensor<128xi8, #b>
  tt.store %p, %y {ttg.access = array<i32: 0, 4>} : tensor<128x!tt.ptr<i8>, #b>
  tt.return
}

// Spaces among the constraints, as people write them.

// CHECK-LABEL: llvm.func @spaces
// CHECK: llvm.inline_asm has_side_effects "peek $0, $1", "=r,l,~{memory}" %{{.*}} : (i64) -> i32
tt.func public @spaces(%p: !tt.ptr<i32>) {
  %y = tt.elementwise_inline_asm "peek $0, $1" {constraints = " =r, l", packed_element = 1 : i32, pure = false} %p : !tt.ptr<i32> -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}
}
