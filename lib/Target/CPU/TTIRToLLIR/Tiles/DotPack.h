//===- DotPack.h - convert the operands of a dot for the block kernel ----===//
// The block kernel (Dot.cpp) reads one unit of A and a vector of units of B at a time; a unit is
// what one lane multiplies in one step (DotPlan.h). The functions here convert elements to parts
// and parts to units, and store the columns of one block of B consecutively in a panel:
//
//   panel[step][column] = the unit of B at rows step * group + 0 .. group - 1
//===----------------------------------------------------------------------===//
#pragma once

#include "TileOps.h"
#include "../Kernel/KernelContext.h"
#include "../Lanes/MemoryAccess.h"
#include "../Plan/DotPlan.h"

namespace tessera::cpu {

/// The state for emitting the code of one dot.
struct DotBuilder {
  KernelContext &context;
  LaneBuilder b;
  const DotPlan &plan;

  /// Loads a vector of `lanes`, or a scalar for one lane, aligned to its size.
  mlir::Value load(mlir::Value address, mlir::Type element, int64_t lanes);
  void store(mlir::Value address, mlir::Value value);
  /// Returns the type of a vector of sums.
  mlir::Type sums() const { return withLanes(plan.sum, plan.lanes == 1 ? 0 : plan.lanes); }
};

/// Emits for (index = 0; index < count; index += step), which must have at least one iteration.
/// Values are carried as in forEach().
llvm::SmallVector<mlir::Value>
emitCounted(LaneBuilder &b, int64_t count, int64_t step, llvm::ArrayRef<mlir::Value> initial,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                              llvm::ArrayRef<mlir::Value> carried)>
                body);
void emitCounted(LaneBuilder &b, int64_t count, int64_t step,
                 llvm::function_ref<void(mlir::Value index)> body);

/// Returns x[0], y[0], x[1], y[1], ...; a vector of two for scalars.
mlir::Value zipLanes(LaneBuilder &b, mlir::Value x, mlir::Value y);

enum class DotSide { A, B };

/// Converts a loaded element (or lanes of them) to a part.
mlir::Value toPart(DotBuilder &dot, mlir::Value stored, mlir::Type element, DotSide side);

/// Converts `count` elements at `from` to parts at `to`, in the same order.
void emitConvert(DotBuilder &dot, mlir::Value from, mlir::Type element, DotSide side,
                 mlir::Value to, int64_t count);

/// Converts rows of elements with a stride of `rowElements` to `steps` rows of `width` units:
/// `group` rows make one.
void emitInterleave(DotBuilder &dot, mlir::Value from, mlir::Type element, DotSide side,
                    int64_t rowElements, mlir::Value to, int64_t width, int64_t steps);

/// Transposes `width` rows of units with a stride of `rowUnits` to `steps` rows of `width`.
void emitTranspose(DotBuilder &dot, mlir::Value from, int64_t rowUnits, mlir::Value to,
                   int64_t width, int64_t steps);

} // namespace tessera::cpu
