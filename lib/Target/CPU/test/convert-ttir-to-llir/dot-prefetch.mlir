// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v4 --split-input-file %s | FileCheck %s

// A loop that loads both operands: the product asks for the next ones, where
// they lie if they go on as they did.

// CHECK-LABEL: llvm.func @both(
// CHECK: %[[LAST:.*]] = llvm.alloca {{.*}} x i64
// CHECK: llvm.store {{.*}}, %[[LAST]]
// CHECK: %[[BEFORE:.*]] = llvm.load %[[LAST]]
// CHECK: llvm.sub %{{.*}}, %[[BEFORE]] : i64
// CHECK: llvm.call @both.dot.1x64x64x64.f32.f32.f32.add.next64x4.next64x4(
// CHECK: llvm.func internal @both.dot
// CHECK-COUNT-2: "llvm.intr.prefetch"({{.*}}hint = 2
// CHECK: llvm.intr.fmuladd
tt.func public @both(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %width = arith.constant dense<1024> : tensor<64x1xi32>
  %scaled = arith.muli %rows, %width : tensor<64x1xi32>
  %r = tt.broadcast %scaled : tensor<64x1xi32> -> tensor<64x64xi32>
  %s = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %s : tensor<64x64xi32>
  %out = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %places = tt.addptr %out, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %ai = tt.addptr %a, %i : !tt.ptr<f32>, i32
    %bi = tt.addptr %b, %i : !tt.ptr<f32>, i32
    %as = tt.splat %ai : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %bs = tt.splat %bi : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %ap = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %bp = tt.addptr %bs, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
    %y = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %places, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// One operand stays: nothing is asked for.

// CHECK-LABEL: llvm.func @one(
// CHECK-NOT: prefetch
tt.func public @one(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %k: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %width = arith.constant dense<1024> : tensor<64x1xi32>
  %scaled = arith.muli %rows, %width : tensor<64x1xi32>
  %r = tt.broadcast %scaled : tensor<64x1xi32> -> tensor<64x64xi32>
  %s = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %s : tensor<64x64xi32>
  %out = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %places = tt.addptr %out, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ap = tt.addptr %as, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %ap : tensor<64x64x!tt.ptr<f32>>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %bi = tt.addptr %b, %i : !tt.ptr<f32>, i32
    %bs = tt.splat %bi : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    %bp = tt.addptr %bs, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
    %y = tt.load %bp : tensor<64x64x!tt.ptr<f32>>
    %d = tt.dot %x, %y, %acc : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %places, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
