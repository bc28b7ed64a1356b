//===- EmitShuffles.h - emit planned shuffles -----------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/ShufflePlan.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"

namespace tessera {

/// Emits the first `count` registers of the result, which are all different ones, from the source's
/// `values`.
llvm::SmallVector<mlir::Value> emitShuffles(mlir::OpBuilder &b, mlir::Location loc,
                                            const TargetInfo &target, const ShufflePlan &plan,
                                            unsigned count, unsigned numThreads,
                                            mlir::ValueRange values);

} // namespace tessera
