// RUN: tessera-opt %s --convert-scf-to-cf --nvidia-convert-ttgir-to-llir | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", ttg.maxnreg = 64 : i32} {

// Run-time arguments, then two hidden pointers. Alignment promises reach LLVM;
// what does not align a pointer does not.

// CHECK-LABEL: llvm.func @abi
// CHECK-SAME: (%arg0: !llvm.ptr<1> {llvm.align = 16 : i64}, %arg1: i32, %arg2: i1, %arg3: f16, %arg4: !llvm.ptr<1>, %arg5: !llvm.ptr<1>, %arg6: !llvm.ptr<1>)
// CHECK-SAME: no_unwind, nvvm.kernel, nvvm.maxnreg = 64 : i32, nvvm.reqntid = array<i32: 64>
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: nvvm.read.ptx.sreg.nctaid.z
// CHECK: llvm.return
tt.func public @abi(%p: !tt.ptr<f32> {tt.divisibility = 48 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %b: i1, %h: f16, %q: !tt.ptr<i8>) {
  %y = tt.get_program_id y : i32
  %z = tt.get_num_programs z : i32
  %s = arith.addi %y, %z : i32
  %x = tt.addptr %p, %s : !tt.ptr<f32>, i32
  %f = arith.sitofp %s : i32 to f32
  tt.store %x, %f : !tt.ptr<f32>
  tt.return
}

// A tensor carried by a loop is as many block arguments as it has registers.

// CHECK-LABEL: llvm.func @loop
// CHECK: llvm.br ^bb1(%{{.*}}, %{{.*}}, %{{.*}} : i32, f32, f32)
// CHECK: ^bb1(%{{.*}}: i32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: llvm.cond_br
// CHECK-COUNT-2: llvm.fadd
tt.func public @loop(%n: i32, %x: f32, %p: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %zero = arith.sitofp %r : tensor<128xi32, #b> to tensor<128xf32, #b>
  %s = tt.splat %x : f32 -> tensor<128xf32, #b>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128xf32, #b>) : i32 {
    %t = arith.addf %acc, %s : tensor<128xf32, #b>
    scf.yield %t : tensor<128xf32, #b>
  }
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %a = tt.addptr %q, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  tt.store %a, %sum : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}
}
