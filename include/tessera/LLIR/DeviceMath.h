//===- DeviceMath.h - the functions of NVIDIA's libdevice on any target ---===//
// tt.extern_elementwise calls functions by their symbols in libdevice. For targets other than
// NVIDIA's each is an LLVM operation, a function of the target's MathLibrary or a few lines of our
// own. Results equal those of CUDA if it defines them, and otherwise have errors of a few ulps (the
// fast_* functions are the accurate ones).
//
//   "__nv_brev"      LLVM's bit reversal       "__nv_dadd_rz"   MathLibrary::rounded
//   "__nv_tanhf"     MathLibrary::call         "__nv_norm3df"   SpecialFunctions
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/MathLibrary.h"

namespace tessera {

class DeviceMath {
public:
  explicit DeviceMath(MathLibrary &library) : library(library) {}

  /// Returns whether the function exists and takes and returns elements of these types.
  static bool has(llvm::StringRef symbol, llvm::ArrayRef<mlir::Type> arguments, mlir::Type result);
  /// Returns whether a function of that name exists at all.
  static bool hasName(llvm::StringRef symbol);

  /// Requires `has`. Returns null if the library lacks the function.
  mlir::Value lower(LaneBuilder &b, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> args);

private:
  MathLibrary &library;
};

} // namespace tessera
