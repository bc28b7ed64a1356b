//===- Libdevice.h - NVIDIA's libdevice functions on lanes ----------------===//
// tt.extern_elementwise calls functions by their symbols in libdevice, the library that is linked
// for GPUs. Here each is an LLVM operation, a function of libm or a few lines of our own. Results
// equal the GPU's if CUDA defines them, and otherwise have errors of at most 4 ulps, mostly 1 (the
// fast_* functions are the accurate ones).
//
//   "__nv_brev"      LLVM's bit reversal       "__nv_dadd_rz"   DirectedRounding
//   "__nv_tanhf"     MathFunctions             "__nv_norm3df"   SpecialFunctions
//===----------------------------------------------------------------------===//
#pragma once

#include "DirectedRounding.h"
#include "MathFunctions.h"

namespace tessera::cpu {

class Libdevice {
public:
  Libdevice(MathFunctions &functions, DirectedRounding rounding)
      : functions(functions), rounding(rounding) {}

  /// Returns whether the function exists and takes and returns elements of these types.
  static bool has(llvm::StringRef symbol, llvm::ArrayRef<mlir::Type> arguments, mlir::Type result);
  /// Returns whether a function of that name exists at all.
  static bool hasName(llvm::StringRef symbol);

  /// Requires `has`.
  mlir::Value lower(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args);

  MathFunctions &functions;
  DirectedRounding rounding;
};

} // namespace tessera::cpu
