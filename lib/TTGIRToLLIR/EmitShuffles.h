//===- EmitShuffles.h - code for a plan of shuffles -----------------------===//
#pragma once

#include "tessera/TTGIR/Layout/ShufflePlan.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// The result's first `count` registers (all that differ) from the source's `values`.
llvm::SmallVector<mlir::Value> emitShuffles(mlir::OpBuilder &b, mlir::Location loc,
                                            const TargetInfo &target, const ShufflePlan &plan,
                                            unsigned count, unsigned numThreads,
                                            mlir::ValueRange values);

} // namespace tessera
