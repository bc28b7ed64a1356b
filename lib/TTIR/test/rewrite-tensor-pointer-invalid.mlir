// RUN: tessera-opt %s --tt-rewrite-tensor-pointer --split-input-file --verify-diagnostics

// expected-error @+1 {{a kernel cannot take a block pointer ('!tt.ptr<tensor<16xf16>>'); pass the base and make one inside}}
tt.func public @kernel(%p: !tt.ptr<tensor<16xf16>>) {
  tt.return
}

// -----

tt.func public @pad_integers(%a: !tt.ptr<i32>, %n: i64, %i: i32) {
  %p = tt.make_tensor_ptr %a, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<16xi32>>
  // expected-error @+1 {{cannot pad 'i32' with NaN}}
  %v = tt.load %p {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<16xi32>>
  tt.return
}

// -----

// Each op that is in the way is named.
tt.func public @print(%a: !tt.ptr<i32>, %n: i64, %i: i32, %c: i1) {
  %p = tt.make_tensor_ptr %a, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<16xi32>>
  // expected-error @+1 {{'tt.print' cannot take or yield a block pointer}}
  tt.print "p" {hex = false, isSigned = array<i32: 0>} : %p : !tt.ptr<tensor<16xi32>>
  // expected-error @+1 {{'scf.execute_region' cannot take or yield a block pointer}}
  %q = scf.execute_region -> !tt.ptr<tensor<16xi32>> {
    scf.yield %p : !tt.ptr<tensor<16xi32>>
  }
  tt.return
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @laid_out(%p: !tt.ptr<tensor<128xi32, #blocked>>, %v: tensor<128xi32, #blocked>) {
  // expected-error @+1 {{blocks have no encoding yet}}
  tt.store %p, %v : !tt.ptr<tensor<128xi32, #blocked>>
  tt.return
}
}
