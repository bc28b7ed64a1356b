//===- AxisTransfer.h - what each op does to axis information -------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"

namespace tessera {

/// Returns the facts about each result of `op`, given those about its operands (all computed). Ops
/// on other types than numbers give AxisInfo::unknown.
llvm::SmallVector<AxisInfo> transferAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands,
                                             const AxisInfoOptions &options);

/// Returns what the caller of a kernel promises about an argument (tt.divisibility, ...); nothing
/// for other values.
AxisInfo axisInfoAtEntry(mlir::Value value);

/// Returns the facts about the induction variable of a loop from `lower` with step `step`.
AxisInfo axisInfoOfInduction(const AxisInfo &lower, const AxisInfo &step, bool isSigned);

} // namespace tessera
