// RUN: tessera-opt %s --ttg-allocate-global-scratch --split-input-file | FileCheck %s

// CHECK: module attributes {{.*}}ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 384 : i32
// CHECK: ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 24 : i32, ttg.global_scratch_memory_offset = 0 : i32}
// CHECK: ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32, ttg.global_scratch_memory_offset = 128 : i32}
// CHECK: ttg.global_scratch_alloc {alignment = 4 : i32, nbytes = 4 : i32, ttg.global_scratch_memory_offset = 256 : i32}
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @k() {
  %a = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 24 : i32} : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  %c = ttg.global_scratch_alloc {alignment = 4 : i32, nbytes = 4 : i32} : !tt.ptr<i8>
  tt.return
}
}

// -----

// Declines: a kernel that needs none says nothing.
// CHECK: module attributes {"ttg.num-warps" = 4 : i32} {
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @none() {
  tt.return
}
}
