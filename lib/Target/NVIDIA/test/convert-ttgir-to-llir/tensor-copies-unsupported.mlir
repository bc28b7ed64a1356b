// RUN: tessera-opt %s --ttg-allocate-shared-memory --nvidia-convert-ttgir-to-llir --split-input-file --verify-diagnostics

#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
tt.func public @old_chip() {
  %b = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #one, #smem, mutable>
  // expected-error @+1 {{unsupported: 'ttng.init_barrier' is not implemented for cuda:80}}
  ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #one, #smem, mutable>
  tt.return
}
}

// -----

#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80"} {
// expected-error @+1 {{unsupported: type of an argument of kernel 'old_argument'}}
tt.func public @old_argument(%d: !tt.tensordesc<tensor<64x64xf16, #tile>>) {
  tt.return
}
}

// -----

#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func public @columns(%d: !tt.tensordesc<tensor<64x64xf16, #columns>>, %i: i32) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #columns, #smem, mutable>
  // expected-error @+1 {{unsupported: copy between a tensor and a buffer that lies as no tensor map can say}}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : !tt.tensordesc<tensor<64x64xf16, #columns>>, !ttg.memdesc<64x64xf16, #columns, #smem, mutable>
  tt.return
}
}
