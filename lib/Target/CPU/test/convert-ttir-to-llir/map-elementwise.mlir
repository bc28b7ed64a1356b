// RUN: tessera-opt --cpu-convert-ttir-to-llir=cpu=x86-64-v4 %s | FileCheck %s

// The region is emitted once, in a loop over groups; its own control flow stays.

// CHECK-LABEL: llvm.func @pairs
// CHECK:       llvm.store {{.*}} : vector<{{[0-9]+}}xi32>
// CHECK:       %[[A:.+]] = llvm.load {{.*}} -> i32
// CHECK:       %[[B:.+]] = llvm.load {{.*}} -> i32
// CHECK:       %[[LESS:.+]] = llvm.icmp "slt" %[[A]], %[[B]] : i32
// CHECK:       llvm.cond_br %[[LESS]], ^[[YES:.+]], ^[[NO:bb[0-9]+]]
// CHECK:     ^[[YES]]:
// CHECK-NEXT:  llvm.br ^[[AFTER:.+]](%[[A]], %[[B]] : i32, i32)
// CHECK:     ^[[NO]]:
// CHECK-NEXT:  llvm.br ^[[AFTER]](%[[B]], %[[A]] : i32, i32)
// CHECK:       llvm.return
tt.func public @pairs(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<i32>>
  %y = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%first: i32, %second: i32):
    %less = arith.cmpi slt, %first, %second : i32
    cf.cond_br %less, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %first, %second : i32, i32
  ^bb2:
    tt.map_elementwise.return %second, %first : i32, i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.store %a, %y : tensor<64x!tt.ptr<i32>>
  tt.return
}

// Without control flow, or with an if alone, the function is applied to vectors.

// CHECK-LABEL: llvm.func @clamp
// CHECK:       %[[NEGATIVE:.+]] = llvm.fcmp "olt" %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK:       llvm.select %[[NEGATIVE]], %{{.+}}, %{{.+}} : vector<16xi1>, vector<16xf32>
tt.func public @clamp(%p: !tt.ptr<f32>) {
  %zero = arith.constant 0.0 : f32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %a : tensor<64x!tt.ptr<f32>>
  %y = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%e: f32):
    %negative = arith.cmpf olt, %e, %zero : f32
    %z = scf.if %negative -> (f32) {
      scf.yield %zero : f32
    } else {
      %twice = arith.addf %e, %e : f32
      scf.yield %twice : f32
    }
    tt.map_elementwise.return %z : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %a, %y : tensor<64x!tt.ptr<f32>>
  tt.return
}
