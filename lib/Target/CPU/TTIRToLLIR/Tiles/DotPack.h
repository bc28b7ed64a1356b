//===- DotPack.h - operands of a dot in the form the block kernel reads ---===//
// The kernel (Dot.cpp) reads A one unit at a time and B a vector of units at a
// time; a unit is what one lane multiplies in one step (DotPlan.h). Here
// elements become parts, parts become units, and a panel of B gets the columns
// of one block next to each other:
//
//   panel[step][column] = the unit of B at rows step * group + 0 .. group - 1
//===----------------------------------------------------------------------===//
#pragma once

#include "TileOps.h"
#include "../Kernel/KernelContext.h"
#include "../Lanes/MemoryAccess.h"
#include "../Plan/DotPlan.h"

namespace tessera::cpu {

/// What building code for one dot needs.
struct DotBuilder {
  KernelContext &context;
  LaneBuilder b;
  const DotPlan &plan;

  /// A vector of `lanes`, or a scalar for one lane. Aligned to its size.
  mlir::Value load(mlir::Value address, mlir::Type element, int64_t lanes);
  void store(mlir::Value address, mlir::Value value);
  /// The lanes' type of the sums of one vector.
  mlir::Type sums() const { return withLanes(plan.sum, plan.lanes == 1 ? 0 : plan.lanes); }
};

/// for (index = 0; index < count; index += step): at least one iteration, which
/// the code relies on. The values are carried as in forEach().
llvm::SmallVector<mlir::Value>
emitCounted(LaneBuilder &b, int64_t count, int64_t step, llvm::ArrayRef<mlir::Value> initial,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                              llvm::ArrayRef<mlir::Value> carried)>
                body);
void emitCounted(LaneBuilder &b, int64_t count, int64_t step,
                 llvm::function_ref<void(mlir::Value index)> body);

/// x[0], y[0], x[1], y[1], ...; a vector of two for scalars.
mlir::Value zipLanes(LaneBuilder &b, mlir::Value x, mlir::Value y);

enum class DotSide { A, B };

/// A loaded element (or lanes of them) as a part.
mlir::Value toPart(DotBuilder &dot, mlir::Value stored, mlir::Type element, DotSide side);

/// `count` elements at `from` become parts at `to`, in the same order.
void emitConvert(DotBuilder &dot, mlir::Value from, mlir::Type element, DotSide side,
                 mlir::Value to, int64_t count);

/// Rows of elements, `rowElements` apart, become rows of units, `width` apart:
/// `group` rows make one. `steps` rows of `width` units.
void emitInterleave(DotBuilder &dot, mlir::Value from, mlir::Type element, DotSide side,
                    int64_t rowElements, mlir::Value to, int64_t width, int64_t steps);

/// `width` rows of units, `rowUnits` apart, become `steps` rows of `width`.
void emitTranspose(DotBuilder &dot, mlir::Value from, int64_t rowUnits, mlir::Value to,
                   int64_t width, int64_t steps);

} // namespace tessera::cpu
