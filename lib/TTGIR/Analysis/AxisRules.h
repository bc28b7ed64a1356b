//===- AxisRules.h - the families of rules behind AxisTransfer ------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera {

/// Returns the bits of the integers in `type`; 64 for index; 0 for other types.
unsigned integerBits(mlir::Type type);

/// Returns the distance in bytes between consecutive elements of a pointer type; nothing for other
/// types, or if elements do not fill bytes.
std::optional<int64_t> pointerUnit(mlir::Type type);

/// Returns a divisor of every single element. `unit` as in divisorAt.
int64_t divisorOfEach(const AxisInfo &info, int64_t unit);

/// Returns the facts if only this is known: equal inputs give equal outputs.
AxisInfo constancyAlone(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands, mlir::Type type);

// In AxisArithmetic.cpp. No operand is poison, except in a select.

/// lhs + rhs, where rhs is in units of `scale` bytes (addptr; 1 for integers).
AxisInfo sumAxisInfo(const AxisInfo &lhs, const AxisInfo &rhs, int64_t scale);
/// A value that is one of two, element by element.
AxisInfo selectAxisInfo(mlir::arith::SelectOp op, const AxisInfo &condition, const AxisInfo &yes,
                        const AxisInfo &no);
/// Binary ops on integers; nothing for other ops.
std::optional<AxisInfo> integerAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands,
                                        const AxisInfoOptions &options);

// In AxisShapes.cpp.

/// Ops that rearrange elements (splat, trans, reshape, ...), one entry per result; nothing for
/// other ops.
std::optional<llvm::SmallVector<AxisInfo>> shapeAxisInfo(mlir::Operation *op,
                                                         llvm::ArrayRef<AxisInfo> operands);
/// Casts and addptr; nothing for other ops.
std::optional<AxisInfo> castAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

} // namespace tessera
