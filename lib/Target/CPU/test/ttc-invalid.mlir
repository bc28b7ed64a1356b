// RUN: tessera-opt --split-input-file --verify-diagnostics %s

tt.func public @indices(%i: i64) {
  %t = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // [ttc.extract.C1]
  // expected-error @+1 {{needs an index for each of the 1 dimensions, and has 2}}
  %e = ttc.extract %t[%i, %i] : tensor<16xi32>
  tt.return
}

// -----

tt.func public @suspect(%i: i64) {
  // [ttc.explain_wrap.C1]
  // expected-error @+1 {{explains a suspect of ttc.check_access, and gets another value}}
  ttc.explain_wrap %i, %i, %i {bits = 32 : i32, kind = 0 : i32}
  tt.return
}

// -----

tt.func public @places(%x: tensor<2x3xi32>) {
  // [ttc.exchange.C1]
  // expected-error @+1 {{needs a power of two of elements, and has 6}}
  %y = ttc.exchange %x {bits = array<i32: 0>, turns = array<i32: 1>, downs = array<i1: false>} : tensor<2x3xi32>
  tt.return
}

// -----

tt.func public @lengths(%x: tensor<4xi32>) {
  // [ttc.exchange.C2]
  // expected-error @+1 {{has 2 bits, 1 turns and 1 downs}}
  %y = ttc.exchange %x {bits = array<i32: 1, 0>, turns = array<i32: 2>, downs = array<i1: false>} : tensor<4xi32>
  tt.return
}

// -----

tt.func public @turns(%x: tensor<4xi32>) {
  // [ttc.exchange.C3]
  // expected-error @+1 {{has bit 1 with turn 1, and places have 2 bits}}
  %y = ttc.exchange %x {bits = array<i32: 1>, turns = array<i32: 1>, downs = array<i1: false>} : tensor<4xi32>
  tt.return
}
