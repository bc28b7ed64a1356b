// RUN: tessera-opt --split-input-file --verify-diagnostics --cpu-convert-ttir-to-llir %s

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

tt.func public @both_ways(%c: i1) {
  %x = arith.constant dense<1> : tensor<4xi32>
  %y = arith.constant dense<2> : tensor<4xi32>
  // expected-error @+1 {{unsupported: the CPU target cannot pass tensors both ways to one block; arith.select can choose between them}}
  cf.cond_br %c, ^next(%x : tensor<4xi32>), ^next(%y : tensor<4xi32>)
^next(%z: tensor<4xi32>):
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
