// Ops of dialects that nobody has registered pass through.
// RUN: tessera-opt %s --allow-unregistered-dialect --ttg-insert-barriers | FileCheck %s
// RUN: tessera-opt %s --allow-unregistered-dialect --ttg-assign-latencies --ttg-schedule-loops --ttg-pipeline | FileCheck %s
// RUN: tessera-opt %s --allow-unregistered-dialect --convert-ttir-to-ttgir=target=null | FileCheck %s

// CHECK: "test.unknown"
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: !tt.ptr<f32>) {
  "test.unknown"() : () -> ()
  tt.return
}
}
