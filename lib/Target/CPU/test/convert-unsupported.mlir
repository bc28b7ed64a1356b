// RUN: tessera-opt --split-input-file --verify-diagnostics --convert-ttir-to-cpu-llvm %s

tt.func public @calls(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{unsupported: the CPU target cannot lower 'tt.call' yet}}
  %y = tt.call @helper(%x) : (f32) -> f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}
tt.func private @helper(%x: f32) -> f32 {
  tt.return %x : f32
}

// -----

tt.func public @constants(%p: !tt.ptr<i32>) {
  // expected-error @+1 {{unsupported: the CPU target takes tensor constants of one value only}}
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
  tt.store %s, %c : tensor<2x!tt.ptr<i32>>
  tt.return
}

// -----

// expected-error @+1 {{unsupported: the CPU target cannot pass arguments of type '!tt.ptr<tensor<16xf32>>'}}
tt.func public @block_pointer(%p: !tt.ptr<tensor<16xf32>>) {
  tt.return
}

// -----

// expected-error @+1 {{unsupported: the CPU target cannot export a kernel called 'expf'}}
tt.func public @expf(%p: !tt.ptr<f32>) {
  tt.return
}
