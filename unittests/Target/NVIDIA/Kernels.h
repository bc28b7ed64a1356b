//===- Kernels.h - TTIR for tests -----------------------------------------===//
#pragma once

#include "llvm/Support/FormatVariadic.h"
#include <string>

namespace tessera::nvidia {

/// The vector add of examples/add.py. `aligned` promises multiples of 16.
inline std::string vectorAddText(unsigned block, bool aligned) {
  std::string hint = aligned ? " {tt.divisibility = 16 : i32}" : "";
  return llvm::formatv(R"(
tt.func public @add_kernel(%x: !tt.ptr<f32>{1}, %y: !tt.ptr<f32>{1}, %o: !tt.ptr<f32>{1}, %n: i32{1}) {{
  %c = arith.constant {0} : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c : i32
  %r = tt.make_range {{end = {0} : i32, start = 0 : i32} : tensor<{0}xi32>
  %ss = tt.splat %start : i32 -> tensor<{0}xi32>
  %i = arith.addi %ss, %r : tensor<{0}xi32>
  %ns = tt.splat %n : i32 -> tensor<{0}xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<{0}xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<{0}x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<{0}x!tt.ptr<f32>>, tensor<{0}xi32>
  %xv = tt.load %xp, %m : tensor<{0}x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<{0}x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<{0}x!tt.ptr<f32>>, tensor<{0}xi32>
  %yv = tt.load %yp, %m : tensor<{0}x!tt.ptr<f32>>
  %s = arith.addf %xv, %yv : tensor<{0}xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<{0}x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<{0}x!tt.ptr<f32>>, tensor<{0}xi32>
  tt.store %op, %s, %m : tensor<{0}x!tt.ptr<f32>>
  tt.return
}
)",
                       block, hint);
}

} // namespace tessera::nvidia
