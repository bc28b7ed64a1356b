//===- AxisTransfer.h - what each op does to axis information -------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"

namespace tessera {

/// What is known of the results of `op`, one entry each, given its operands (all
/// computed). Ops that say nothing about numbers yield AxisInfo::unknown.
llvm::SmallVector<AxisInfo> transferAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands,
                                             const AxisInfoOptions &options);

/// What the caller of a kernel promises of an argument (tt.divisibility, ...), or
/// nothing of any other value.
AxisInfo axisInfoAtEntry(mlir::Value value);

/// The induction variable of a loop from `lower` in steps of `step`.
AxisInfo axisInfoOfInduction(const AxisInfo &lower, const AxisInfo &step, bool isSigned);

} // namespace tessera
