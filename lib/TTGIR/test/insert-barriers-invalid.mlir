// RUN: not tessera-opt %s --ttg-insert-barriers 2>&1 | FileCheck %s

// CHECK: 'scf.if' op is structured control flow: run convert-scf-to-cf before ttg-insert-barriers
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @k(%c: i1) {
  scf.if %c {
    gpu.barrier
  }
  tt.return
}
}
