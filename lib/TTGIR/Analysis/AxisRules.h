//===- AxisRules.h - the families of rules behind AxisTransfer ------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera {

/// Bits of the integers in `type`; 64 for index; 0 for anything else.
unsigned integerBits(mlir::Type type);

/// The distance in bytes of neighbours that a pointer type's contiguity counts; nothing
/// for other types, or where elements do not fill bytes.
std::optional<int64_t> pointerUnit(mlir::Type type);

/// What every single element is a multiple of. `unit` as in divisorAt.
int64_t divisorOfEach(const AxisInfo &info, int64_t unit);

/// Equal inputs give equal outputs, and no more is known.
AxisInfo constancyAlone(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands, mlir::Type type);

// In AxisArithmetic.cpp. No operand is poison, except in a choice.

/// lhs + rhs, where rhs counts `scale` bytes each (addptr; 1 for numbers).
AxisInfo sumAxisInfo(const AxisInfo &lhs, const AxisInfo &rhs, int64_t scale);
/// What may be either of two values, element by element.
AxisInfo selectAxisInfo(mlir::arith::SelectOp op, const AxisInfo &condition, const AxisInfo &yes,
                        const AxisInfo &no);
/// Binary ops on integers; nothing for other ops.
std::optional<AxisInfo> integerAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands,
                                        const AxisInfoOptions &options);

// In AxisShapes.cpp.

/// Ops that rearrange elements (splat, trans, reshape, ...), one entry per result; nothing
/// for other ops.
std::optional<llvm::SmallVector<AxisInfo>> shapeAxisInfo(mlir::Operation *op,
                                                         llvm::ArrayRef<AxisInfo> operands);
/// Ops that read elements as another type, and addptr; nothing for other ops.
std::optional<AxisInfo> castAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

} // namespace tessera
