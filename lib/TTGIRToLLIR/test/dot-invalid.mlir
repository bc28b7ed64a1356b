// RUN: tessera-opt %s --null-convert-ttgir-to-llir --split-input-file --verify-diagnostics

#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #b}>
#y = #ttg.dot_op<{opIdx = 1, parent = #b}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {
tt.func public @fp8(%a: tensor<32x2xf8E5M2, #x>, %b: tensor<2x2xf8E5M2, #y>, %c: tensor<32x2xf32, #b>, %o0: tensor<32x2x!tt.ptr<f32>, #b>) {
  // expected-error @+1 {{unsupported: product of 'f8E5M2' and 'f8E5M2' in 'f32'}}
  %d = tt.dot %a, %b, %c : tensor<32x2xf8E5M2, #x> * tensor<2x2xf8E5M2, #y> -> tensor<32x2xf32, #b>
  tt.store %o0, %d : tensor<32x2x!tt.ptr<f32>, #b>
  tt.return
}
}

// -----

// K is shorter than any instruction's, and fragments share K among lanes.

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#x = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#y = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {
tt.func public @short(%a: tensor<16x8xf16, #x>, %b: tensor<8x8xf16, #y>, %c: tensor<16x8xf32, #mma>, %o0: tensor<16x8x!tt.ptr<f32>, #mma>) {
  // expected-error @+1 {{operand layouts do not give each thread the rows and columns of its results}}
  %d = tt.dot %a, %b, %c : tensor<16x8xf16, #x> * tensor<8x8xf16, #y> -> tensor<16x8xf32, #mma>
  tt.store %o0, %d : tensor<16x8x!tt.ptr<f32>, #mma>
  tt.return
}
}
