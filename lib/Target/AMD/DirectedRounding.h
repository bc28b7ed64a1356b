//===- DirectedRounding.h - arithmetic rounded down, up or toward zero ----===//
#pragma once

#include "tessera/LLIR/MathLibrary.h"

namespace tessera::amd {

/// Emits the operation on f32 or f64, rounded in a direction other than to nearest; `result` is
/// the type of the result.
mlir::Value emitDirected(LaneBuilder &b, RoundedOp op, Direction direction,
                         llvm::ArrayRef<mlir::Value> args, mlir::Type result);

} // namespace tessera::amd
