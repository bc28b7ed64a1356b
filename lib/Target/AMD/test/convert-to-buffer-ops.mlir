// RUN: tessera-opt %s --amd-convert-to-buffer-ops --canonicalize --cse | FileCheck %s
// RUN: tessera-opt %s --amd-convert-to-buffer-ops --remark-format=emitRemark --remarks-filter=amd-convert-to-buffer-ops 2>&1 | FileCheck %s --check-prefix=REMARK

// The remarks: a decision, and why other accesses are left as they are.
// REMARK-DAG: [Passed] buffer | Category:amd-convert-to-buffer-ops | Reason="the launch promises that the tensor of argument 0 has less than 2 GiB"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="the tensor of argument 0 may have 2 GiB or more"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="its pointers come from several arguments"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="its pointers come from 'tt.int_to_ptr'"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="its pointers come from 'scf.if'"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="it is volatile"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="it is of one element"
// REMARK-DAG: [Missed] buffer | Category:amd-convert-to-buffer-ops | Reason="its elements are pointers"

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {

// All that is added to the argument is an offset, uniform or not; 64 bits are truncated.
// CHECK-LABEL: @offsets
// CHECK: %[[ROW:.*]] = arith.muli %arg1, %arg2
// CHECK: %[[ROWS:.*]] = tt.splat %[[ROW]]
// CHECK: %[[OFFSET:.*]] = arith.addi %[[ROWS]], %{{.*}} : tensor<256xi32
// CHECK: %[[V:.*]] = amdg.buffer_load %arg0[%[[OFFSET]]], %[[M:.*]], %[[Z:.*]] cacheModifier = cg
// CHECK: %[[WIDE:.*]] = arith.trunci %arg4 : tensor<256xi64
// CHECK: amdg.buffer_store %[[V]], %arg0[%[[WIDE]]], %[[M]] cacheModifier = cs : tensor<256xf32
tt.func public @offsets(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %i: i32, %s: i32, %m: tensor<256xi1, #b>, %w: tensor<256xi64, #b>) {
  %row = arith.muli %i, %s : i32
  %p0 = tt.addptr %x, %row : !tt.ptr<f32>, i32
  %ps = tt.splat %p0 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %p = tt.addptr %ps, %r : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
  %z = arith.constant dense<1.0> : tensor<256xf32, #b>
  %v = tt.load %p, %m, %z cacheModifier = cg evictionPolicy = evict_last : tensor<256x!tt.ptr<f32>, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %q = tt.addptr %xs, %w : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi64, #b>
  tt.store %q, %v, %m evictionPolicy = evict_first : tensor<256x!tt.ptr<f32>, #b>
  tt.return
}

// Loops carry offsets, also from one to the next, and the pointers after a loop have offsets.
// CHECK-LABEL: @loops
// CHECK-NOT: !tt.ptr<f32>, #
// CHECK: %[[OUTER:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[O:.*]] = %{{.*}}) -> (tensor<256xf32, #blocked>, tensor<256xi32, #blocked>)
// CHECK:   %[[INNER:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[I:.*]] = %[[O]])
// CHECK:     amdg.buffer_load %arg0[%[[I]]]
// CHECK:     %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK:     scf.yield %{{.*}}, %[[NEXT]]
// CHECK:   scf.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK: amdg.buffer_store %[[OUTER]]#0, %arg0[%[[OUTER]]#1]
tt.func public @loops(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<256> : tensor<256xi32, #b>
  %zero = arith.constant dense<0.0> : tensor<256xf32, #b>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
  %o:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %s = %zero) -> (tensor<256x!tt.ptr<f32>, #b>, tensor<256xf32, #b>) : i32 {
    %k:2 = scf.for %j = %c0 to %n step %c1 iter_args(%c = %a, %t = %s) -> (tensor<256x!tt.ptr<f32>, #b>, tensor<256xf32, #b>) : i32 {
      %v = tt.load %c : tensor<256x!tt.ptr<f32>, #b>
      %u = arith.addf %t, %v : tensor<256xf32, #b>
      %d = tt.addptr %c, %step : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
      scf.yield %d, %u : tensor<256x!tt.ptr<f32>, #b>, tensor<256xf32, #b>
    }
    scf.yield %k#0, %k#1 : tensor<256x!tt.ptr<f32>, #b>, tensor<256xf32, #b>
  }
  tt.store %o#0, %o#1 : tensor<256x!tt.ptr<f32>, #b>
  tt.return
}

// The pass declines.
// CHECK-LABEL: @large
// CHECK-NOT: amdg
tt.func public @large(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: tensor<256xi32, #b>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %m : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>, #b>
  tt.store %p, %v : tensor<256x!tt.ptr<f32>, #b>
  tt.return
}
// CHECK-LABEL: @declines
// CHECK-NOT: amdg
tt.func public @declines(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %z: !tt.ptr<!tt.ptr<f32>> {tt.pointer_range = 32 : i32}, %c: i1, %n: i64) {
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  %either = arith.select %c, %xs, %ys : tensor<256x!tt.ptr<f32>, #b>
  %0 = tt.load %either : tensor<256x!tt.ptr<f32>, #b>
  %branch = scf.if %c -> tensor<256x!tt.ptr<f32>, #b> {
    scf.yield %xs : tensor<256x!tt.ptr<f32>, #b>
  } else {
    scf.yield %ys : tensor<256x!tt.ptr<f32>, #b>
  }
  tt.store %branch, %0 : tensor<256x!tt.ptr<f32>, #b>
  %q = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
  tt.store %qs, %0 : tensor<256x!tt.ptr<f32>, #b>
  %1 = tt.load %xs {isVolatile = true} : tensor<256x!tt.ptr<f32>, #b>
  tt.store %qs, %1 : tensor<256x!tt.ptr<f32>, #b>
  %2 = tt.load %x : !tt.ptr<f32>
  tt.store %q, %2 : !tt.ptr<f32>
  %zs = tt.splat %z : !tt.ptr<!tt.ptr<f32>> -> tensor<256x!tt.ptr<!tt.ptr<f32>>, #b>
  %3 = tt.load %zs : tensor<256x!tt.ptr<!tt.ptr<f32>>, #b>
  tt.store %3, %1 : tensor<256x!tt.ptr<f32>, #b>
  tt.return
}
}
