// RUN: tessera-opt %s --tt-loop-unroll --split-input-file --verify-diagnostics

tt.func public @not_a_number(%p: !tt.ptr<i32>, %m: i32, %n: i32) {
  // expected-error @+1 {{tt.loop_unroll_factor must be an integer, but is "four"}}
  scf.for %i = %m to %n step %n : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = "four"}
  tt.return
}

// -----

tt.func public @too_large(%p: !tt.ptr<i32>, %m: i32, %n: i32) {
  // expected-error @+1 {{cannot unroll 2 operations 2000000000 times: a loop may become 131072 operations at most}}
  scf.for %i = %m to %n step %n : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 2000000000 : i32}
  tt.return
}

// -----

// More than any word holds.
tt.func public @beyond(%p: !tt.ptr<i32>, %m: i32, %n: i32) {
  // expected-error @+1 {{cannot unroll 2 operations 18446744073709551615 times}}
  scf.for %i = %m to %n step %n : i32 {
    tt.store %p, %i : !tt.ptr<i32>
  } {tt.loop_unroll_factor = 36893488147419103232 : i128}
  tt.return
}

// -----

// Each factor is small, their product is not.
tt.func public @nested(%p: !tt.ptr<i32>, %m: i32, %n: i32) {
  // expected-error @+1 {{operations 1024 times}}
  scf.for %i = %m to %n step %n : i32 {
    scf.for %j = %m to %n step %n : i32 {
      tt.store %p, %n : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 512 : i32}
  } {tt.loop_unroll_factor = 1024 : i32}
  tt.return
}
