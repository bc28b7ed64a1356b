// Targets without calls inline functions that say noinline, too.
// RUN: tessera-opt --tt-inliner=everything %s | FileCheck %s
// RUN: tessera-opt --tt-inliner %s | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: tt.func public @kernel
// CHECK-NOT: tt.call
// CHECK: arith.muli
// CHECK-NOT: tt.func
// KEEP: tt.call @twice
tt.func public @kernel(%out: !tt.ptr<i32>, %x: i32) {
  %y = tt.call @twice(%x) : (i32) -> i32
  tt.store %out, %y : !tt.ptr<i32>
  tt.return
}
tt.func private @twice(%x: i32) -> i32 attributes {noinline = true} {
  %two = arith.constant 2 : i32
  %y = arith.muli %x, %two : i32
  tt.return %y : i32
}
