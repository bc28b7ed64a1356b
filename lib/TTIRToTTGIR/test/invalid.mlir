// RUN: tessera-opt %s --convert-ttir-to-ttgir --split-input-file --verify-diagnostics

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

tt.func public @unknown(%x: !tt.ptr<f32>) {
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %v = tt.load %s : tensor<16x!tt.ptr<f32>>
  // expected-error @+1 {{unsupported: 'tt.reduce' is not implemented for cuda:90}}
  %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<16xf32>) -> f32
  tt.store %x, %r : !tt.ptr<f32>
  tt.return
}
