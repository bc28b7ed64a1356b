// RUN: tessera-opt %s --convert-ttir-to-ttgir=target=null --split-input-file --verify-diagnostics

tt.func public @odd() {
  // expected-error @+1 {{unsupported: tensor shape 'tensor<3xf32>'; every dimension has to be a power of two}}
  %c = arith.constant dense<1.0> : tensor<3xf32>
  tt.return
}

// -----

tt.func public @scalar() {
  // expected-error @+1 {{unsupported: tensor shape 'tensor<f32>'; every dimension has to be a power of two}}
  %c = arith.constant dense<1.0> : tensor<f32>
  tt.return
}

// -----

// expected-error @+1 {{unsupported: tensor shape 'tensor<?xf32>'; every dimension has to be a power of two}}
tt.func private @dynamic(%x: tensor<?xf32>) {
  tt.return
}

// -----

// Descriptors become pointers before layouts are chosen.
tt.func public @unknown(%d: !tt.tensordesc<tensor<16x16xf32>>, %i: i32) {
  // expected-error @+1 {{unsupported: 'tt.descriptor_load' is not implemented for null}}
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x16xf32>> -> tensor<16x16xf32>
  tt.return
}
