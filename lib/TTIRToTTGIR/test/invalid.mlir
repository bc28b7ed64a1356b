// RUN: tessera-opt %s --convert-ttir-to-ttgir --verify-diagnostics

tt.func public @odd() {
  // expected-error @+1 {{unsupported: tensor shape 'tensor<3xf32>'; every dimension has to be a power of two}}
  %c = arith.constant dense<1.0> : tensor<3xf32>
  tt.return
}
