// Private functions stay as long as a kernel reaches them.
//
// RUN: tessera-opt %s -tt-symbol-dce | FileCheck %s

// CHECK: tt.func public @kernel
tt.func public @kernel() {
  tt.call @direct() : () -> ()
  tt.return
}
// CHECK: tt.func private @direct
tt.func private @direct() attributes {noinline = true} {
  tt.call @indirect() : () -> ()
  tt.return
}
// CHECK: tt.func private @indirect
tt.func private @indirect() attributes {noinline = true} {
  tt.return
}
// CHECK-NOT: tt.func
// They call only each other.
tt.func private @ping() {
  tt.call @pong() : () -> ()
  tt.return
}
tt.func private @pong() {
  tt.call @ping() : () -> ()
  tt.return
}
// Without a body, and without a caller.
tt.func private @declared()
