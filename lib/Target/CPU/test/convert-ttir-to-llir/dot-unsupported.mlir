// RUN: tessera-opt --cpu-convert-ttir-to-llir --split-input-file --verify-diagnostics %s

// What the language never makes, but a file may hold.

tt.func public @integers_in_floats(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1> : tensor<16x16xi8>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{unsupported: a product of i8 and i8 is not summed in f32; convert the operands first}}
  %d = tt.dot %a, %a, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @format(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1> : tensor<16x32xi8>
  %b = arith.constant dense<1> : tensor<32x16xi8>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{unsupported: the CPU target has no format 'e3m2'}}
  %d = tt.dot_scaled %a, %b, %c lhs = e3m2 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @width(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1> : tensor<16x32xi8>
  %b = arith.constant dense<1.0> : tensor<32x16xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{unsupported: b in format bf16 is made of bf16 or of integers as wide, not of f32}}
  %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xf32> -> tensor<16x16xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Bits of a format are as good as its type.

tt.func public @bits(%p: !tt.ptr<f32>) {
  %a = arith.constant dense<1> : tensor<16x32xi8>
  %b = arith.constant dense<1> : tensor<32x16xi16>
  %s = arith.constant dense<1> : tensor<16x1xi8>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x1xi8> * tensor<32x16xi16> -> tensor<16x16xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
