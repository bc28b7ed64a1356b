// RUN: tessera-opt %s --tt-rewrite-tensor-descriptor-to-pointer --split-input-file --verify-diagnostics

tt.func public @float_min(%d: !tt.tensordesc<tensor<16xf16>>, %i: i32, %v: tensor<16xf16>) {
  // expected-error @+1 {{unsupported: descriptor reduction 'min' of 'f16' needs a target with TMA: no atomic does the same}}
  tt.descriptor_reduce min, %d[%i], %v : !tt.tensordesc<tensor<16xf16>>, tensor<16xf16>
  tt.return
}

// -----

tt.func public @signless_max(%d: !tt.tensordesc<tensor<16xi32>>, %i: i32, %v: tensor<16xi32>) {
  // expected-error @+1 {{descriptor reduction 'max' of 'i32' needs a target with TMA}}
  tt.descriptor_reduce max, %d[%i], %v : !tt.tensordesc<tensor<16xi32>>, tensor<16xi32>
  // expected-error @+1 {{descriptor reduction 'inc' of 'i32' needs a target with TMA}}
  tt.descriptor_reduce inc, %d[%i], %v : !tt.tensordesc<tensor<16xi32>>, tensor<16xi32>
  tt.return
}

// -----

tt.func public @last_stride(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  %c2 = arith.constant 2 : i64
  // expected-error @+1 {{the last stride of a descriptor is 1, not 2}}
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %c2] : <f16>, <tensor<16x16xf16>>
  tt.return
}

// -----

tt.func public @print(%d: !tt.tensordesc<tensor<16xf16>>) {
  // expected-error @+1 {{'tt.print' cannot take or yield a descriptor}}
  tt.print "d" {hex = false, isSigned = array<i32: 0>} : %d : !tt.tensordesc<tensor<16xf16>>
  tt.return
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @laid_out(%d: !tt.tensordesc<tensor<16x16xf16, #shared>>, %i: i32) {
  // expected-error @+1 {{but blocks have no encoding yet}}
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x16xf16, #shared>> -> tensor<16x16xf16>
  tt.return
}
}
