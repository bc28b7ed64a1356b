//===- Casts.h - floats of one format as another --------------------------===//
// By the target's instructions where it has some, else by LLVM's, else by integer
// arithmetic (LLIR/SmallFloat.h). Every pair of formats rounds once, and gives the
// same bits on every target.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// Floats of 8 bits, which travel as bytes: no instruction computes with them.
bool isByteFloat(mlir::Type type);

/// `values`, elements of the float type `from`, as elements of `to`. What is too large
/// becomes infinity, toward zero and in 8 bits the largest number.
llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &b, mlir::Location loc,
                                             const TargetInfo &target, mlir::ValueRange values,
                                             mlir::Type from, mlir::Type to,
                                             Rounding rounding = Rounding::NearestEven);

inline mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                                mlir::Value value, mlir::Type from, mlir::Type to) {
  return convertFloats(b, loc, target, value, from, to)[0];
}

} // namespace tessera
