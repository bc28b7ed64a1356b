//===- Casts.h - convert floats between formats ---------------------------===//
// Conversions use the target's instructions if it has some, otherwise LLVM's, otherwise integer
// arithmetic (LLIR/SmallFloat.h). Each conversion rounds once, and has the same result on every
// target.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// Returns whether the type is an 8-bit float. They are bytes, as no instruction computes with
/// them.
bool isByteFloat(mlir::Type type);

/// Converts elements of the float type `from` to `to`. A value that is too large becomes infinity,
/// or the largest number if `to` has 8 bits or the rounding is toward zero.
llvm::SmallVector<mlir::Value> convertFloats(mlir::OpBuilder &b, mlir::Location loc,
                                             const TargetInfo &target, mlir::ValueRange values,
                                             mlir::Type from, mlir::Type to,
                                             Rounding rounding = Rounding::NearestEven);

inline mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                                mlir::Value value, mlir::Type from, mlir::Type to) {
  return convertFloats(b, loc, target, value, from, to)[0];
}

} // namespace tessera
