// Every op of the dialect, as Triton 3.6.0 prints it. Parsing and printing gives back this text.
//
// RUN: grep -v "^//" %s > %t.expected
// RUN: tessera-opt %s > %t.printed
// RUN: diff %t.expected %t.printed
// RUN: tessera-opt %s -mlir-print-op-generic | tessera-opt > %t.printed
// RUN: diff %t.expected %t.printed
module {
  tt.func private @helper(%arg0: f32, %arg1: f32) -> f32 attributes {noinline = true} {
    %0 = arith.addf %arg0, %arg1 : f32
    tt.return %0 : f32
  }
  tt.func public @k(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f16>, %arg2: i32 {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<i32>, %arg4: !tt.tensordesc<tensor<64x64xf16>>, %arg5: !tt.tensordesc<tensor<16xui8>>, %arg6: !tt.tensordesc<tensor<1x64xf16>>, %arg7: !tt.tensordesc<tensor<1x32x64xf32>>, %arg8: !tt.ptr<f32, 3>) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i64 = arith.constant 1 : i64
    %c64_i64 = arith.constant 64 : i64
    %c64_i32 = arith.constant 64 : i32
    %true = arith.constant true
    %0 = tt.ptr_to_int %arg0 : !tt.ptr<f32> -> i64
    %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
    %2 = tt.bitcast %arg0 : !tt.ptr<f32> -> !tt.ptr<i32>
    %3 = tt.get_program_id x : i32
    %4 = tt.get_num_programs y : i32
    %5 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %6 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %7 = tt.addptr %6, %5 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %8 = tt.splat %arg2 : i32 -> tensor<128xi32>
    %9 = arith.cmpi slt, %5, %8 : tensor<128xi32>
    %cst = arith.constant dense<0.000000e+00> : tensor<128xf32>
    %10 = tt.load %7 : tensor<128x!tt.ptr<f32>>
    %11 = tt.load %7, %9 : tensor<128x!tt.ptr<f32>>
    %12 = tt.load %7, %9, %cst cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<128x!tt.ptr<f32>>
    %13 = tt.load %arg0 evictionPolicy = evict_last : !tt.ptr<f32>
    %14 = tt.fp_to_fp %10, rounding = rtne : tensor<128xf32> -> tensor<128xf16>
    %15 = tt.fp_to_fp %14, rounding = rtz : tensor<128xf16> -> tensor<128xf8E5M2>
    %16 = tt.fp_to_fp %15 : tensor<128xf8E5M2> -> tensor<128xf32>
    %17 = tt.clampf %10, %11, %12, propagateNan = none : tensor<128xf32>
    %18 = tt.clampf %10, %11, %12, propagateNan = all : tensor<128xf32>
    %19 = tt.precise_sqrt %10 : tensor<128xf32>
    %20 = tt.precise_divf %10, %11 : tensor<128xf32>
    %21 = tt.mulhiui %5, %8 : tensor<128xi32>
    tt.store %7, %10 : tensor<128x!tt.ptr<f32>>
    tt.store %7, %10, %9 cacheModifier = wt evictionPolicy = evict_first : tensor<128x!tt.ptr<f32>>
    %22 = tt.atomic_rmw fadd, acq_rel, gpu, %7, %10, %9 : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
    %23 = tt.atomic_rmw exch, relaxed, sys, %arg3, %arg2 : (!tt.ptr<i32>, i32) -> i32
    %24 = tt.atomic_cas acquire, cta, %arg3, %c0_i32, %arg2 : (!tt.ptr<i32>, i32, i32) -> i32
    %25 = tt.splat %13 : f32 -> tensor<1xf32>
    %26 = tt.unsplat %25 : tensor<1xf32>
    %27 = tt.expand_dims %10 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %28 = tt.broadcast %27 : tensor<128x1xf32> -> tensor<128x64xf32>
    %29 = tt.reshape %28 : tensor<128x64xf32> -> tensor<64x128xf32>
    %30 = tt.reshape %28 allow_reorder efficient_layout : tensor<128x64xf32> -> tensor<8192xf32>
    %31 = tt.cat %10, %11 : tensor<128xf32> -> tensor<256xf32>
    %32 = tt.join %10, %11 : tensor<128xf32> -> tensor<128x2xf32>
    %outLHS, %outRHS = tt.split %32 : tensor<128x2xf32> -> tensor<128xf32>
    %33 = tt.trans %28 {order = array<i32: 1, 0>} : tensor<128x64xf32> -> tensor<64x128xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
    %34 = tt.dot %33, %28, %cst_0, inputPrecision = tf32 : tensor<64x128xf32> * tensor<128x64xf32> -> tensor<64x64xf32>
    %35 = tt.dot %33, %28, %cst_0 {maxNumImpreciseAcc = 32 : i32} : tensor<64x128xf32> * tensor<128x64xf32> -> tensor<64x64xf32>
    %36 = "tt.reduce"(%28) <{axis = 1 : i32}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      %60 = arith.addf %arg9, %arg10 : f32
      tt.reduce.return %60 : f32
    }) : (tensor<128x64xf32>) -> tensor<128xf32>
    %37:2 = "tt.reduce"(%10, %5) <{axis = 0 : i32}> ({
    ^bb0(%arg9: f32, %arg10: i32, %arg11: f32, %arg12: i32):
      %60 = arith.cmpf ogt, %arg9, %arg11 : f32
      %61 = arith.select %60, %arg9, %arg11 : f32
      %62 = arith.select %60, %arg10, %arg12 : i32
      tt.reduce.return %61, %62 : f32, i32
    }) : (tensor<128xf32>, tensor<128xi32>) -> (f32, i32)
    %38 = "tt.scan"(%28) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      %60 = arith.addf %arg9, %arg10 : f32
      tt.scan.return %60 : f32
    }) : (tensor<128x64xf32>) -> tensor<128x64xf32>
    %39 = "tt.map_elementwise"(%10, %11) <{pack = 1 : i32}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      %60 = arith.maximumf %arg9, %arg10 : f32
      tt.map_elementwise.return %60 : f32
    }) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    %40 = tt.extern_elementwise %10 {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<128xf32>) -> tensor<128xf32>
    %41 = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %5, %8 : tensor<128xi32>, tensor<128xi32> -> tensor<128xi32>
    %42 = tt.histogram %5 : tensor<128xi32> -> tensor<16xi32>
    %43 = tt.histogram %5, %9 : tensor<128xi32> -> tensor<16xi32>
    %44 = tt.gather %10[%5] {axis = 0 : i32} : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32>
    tt.print " x: " {hex = false, isSigned = array<i32: 0>} : %10 : tensor<128xf32>
    tt.print "here" {hex = false, isSigned = array<i32>}
    tt.assert %9, "out of range" : tensor<128xi1>
    %45 = tt.make_tensor_ptr %arg1, [%c64_i64, %c64_i64], [%c64_i64, %c1_i64], [%c0_i32, %c0_i32] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
    %46 = tt.load %45 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x64xf16>>
    %47 = tt.advance %45, [%c64_i32, %c0_i32] : <tensor<32x64xf16>>
    tt.store %47, %46 {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32x64xf16>>
    %48 = tt.make_tensor_descriptor %arg1, [%arg2, %arg2], [%c64_i64, %c1_i64] : <f16>, <tensor<32x64xf16>>
    %49 = tt.make_tensor_descriptor %arg1, [%arg2, %arg2], [%c64_i64, %c1_i64] {padding = 2 : i32} : <f16>, <tensor<32x64xf16>>
    %50 = tt.descriptor_load %arg4[%c0_i32, %c64_i32] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %51 = tt.descriptor_load %arg7[%c0_i32, %c0_i32, %c64_i32] cacheModifier = ca evictionPolicy = evict_last : !tt.tensordesc<tensor<1x32x64xf32>> -> tensor<32x64xf32>
    %52 = tt.descriptor_load %arg5[%c0_i32] : !tt.tensordesc<tensor<16xui8>> -> tensor<16xi8>
    tt.descriptor_store %arg4[%c0_i32, %c64_i32], %50 : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
    tt.descriptor_reduce add, %arg4[%c0_i32, %c64_i32], %50 : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
    %53 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %54 = tt.descriptor_gather %arg6[%53, %c0_i32] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
    tt.descriptor_scatter %arg6[%53, %c0_i32], %54 : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xf16>
    %55 = tt.call @helper(%13, %13) : (f32, f32) -> f32
    %56 = tt.splat %c0_i32 : i32 -> tensor<64x64xi32>
    %cst_1 = arith.constant dense<0> : tensor<64x64xi8>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<128x64xf8E5M2>
    %cst_3 = arith.constant dense<127> : tensor<64x4xi8>
    %57 = tt.dot_scaled %cst_1 scale %cst_3, %cst_2 scale %cst_3, %cst_0 lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<64x64xi8>, tensor<64x4xi8> * tensor<128x64xf8E5M2>, tensor<64x4xi8> -> tensor<64x64xf32>
    %58 = tt.dot_scaled %cst_1 scale %cst_3, %cst_2, %cst_0 lhs = e2m1 rhs = e5m2 {fastMath = true, rhs_k_pack = false} : tensor<64x64xi8>, tensor<64x4xi8> * tensor<128x64xf8E5M2> -> tensor<64x64xf32>
    scf.for %arg9 = %c0_i32 to %arg2 step %c64_i32  : i32 {
      %60 = tt.load %arg0 : !tt.ptr<f32>
      tt.store %arg0, %60 : !tt.ptr<f32>
    } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
    %59 = tt.load %arg8 : !tt.ptr<f32, 3>
    tt.return
  }
}

