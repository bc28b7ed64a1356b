// Reductions ride in the nest that computes their operand.
// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v4 --split-input-file %s | FileCheck %s

// One accumulator a lane, in a variable; halves are combined when the row ends.
// CHECK-LABEL: llvm.func @row_maximum
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x vector<32xi32>
// CHECK: %[[OLD:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> vector<32xi32>
// CHECK: %[[NEW:.*]] = llvm.intr.smax(%[[OLD]], %{{.*}}) : (vector<32xi32>, vector<32xi32>)
// CHECK: llvm.store %[[NEW]], %[[SLOT]]
// CHECK: llvm.intr.smax(%{{.*}}, %{{.*}}) : (vector<16xi32>, vector<16xi32>)
// CHECK: llvm.intr.smax(%{{.*}}, %{{.*}}) : (i32, i32)
tt.func public @row_maximum(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %at = tt.addptr %base, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %x = tt.load %at : tensor<1024x!tt.ptr<i32>>
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<1024xi32>) -> i32
  tt.store %out, %m : !tt.ptr<i32>
  tt.return
}

// -----

// A function that is not known to commute sees its elements in order: lanes are
// combined with their neighbours, step by step.
// CHECK-LABEL: llvm.func @in_order
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [0, 2, 4, 6, 8, 10, 12, 14
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [1, 3, 5, 7, 9, 11, 13, 15
tt.func public @in_order(%p: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %at = tt.addptr %base, %range : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  %x = tt.load %at : tensor<1024x!tt.ptr<i32>>
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    %d = arith.addi %c, %b : i32
    tt.reduce.return %d : i32
  }) : (tensor<1024xi32>) -> i32
  tt.store %out, %m : !tt.ptr<i32>
  tt.return
}

// -----

// argmax chooses by comparing, and its ties by the index: any order will do.
// CHECK-LABEL: llvm.func @argmax
// CHECK-NOT: [0, 2, 4, 6
// CHECK: llvm.return
tt.func public @argmax(%p: !tt.ptr<f32>, %out: !tt.ptr<i32>) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %at = tt.addptr %base, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %at : tensor<1024x!tt.ptr<f32>>
  %m:2 = "tt.reduce"(%x, %range) <{axis = 0 : i32}> ({
  ^bb0(%v: f32, %i: i32, %w: f32, %j: i32):
    %greater = arith.cmpf ogt, %v, %w : f32
    %equal = arith.cmpf oeq, %v, %w : f32
    %before = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %equal, %before : i1
    %take = arith.ori %greater, %tie : i1
    %left = arith.cmpf une, %v, %v : f32
    %right = arith.cmpf une, %w, %w : f32
    %both = arith.andi %left, %right : i1
    %first = arith.andi %both, %before : i1
    %only = arith.xori %left, %both : i1
    %nan = arith.ori %only, %first : i1
    %choose = arith.ori %take, %nan : i1
    %value = arith.select %choose, %v, %w : f32
    %index = arith.select %choose, %i, %j : i32
    tt.reduce.return %value, %index : f32, i32
  }) : (tensor<1024xf32>, tensor<1024xi32>) -> (f32, i32)
  tt.store %out, %m#1 : !tt.ptr<i32>
  tt.return
}
