//===- Combine.h - the function of a reduction or scan --------------------===//
// A combine region takes two elements (each perhaps a tuple) and returns one. It is applied to
// lanes: the same ops compute on vectors. Conditionals become selects; both sides are computed,
// which is correct because combine functions have no effects.
//===----------------------------------------------------------------------===//
#pragma once

#include "KernelContext.h"
#include "ScalarBlockLowering.h"
#include "tessera/TTIR/IR/CombineRegions.h"
#include "../Plan/WholeTileOps.h"

namespace tessera::cpu {

/// Returns the results of a single-block region for `arguments`, which are scalars or vectors with
/// the same number of lanes.
llvm::SmallVector<mlir::Value> applyToLanes(KernelContext &context, LaneBuilder &b,
                                            mlir::Region &function,
                                            llvm::ArrayRef<mlir::Value> arguments);

/// Returns combine(left, right). Each side has one value per operand of the reduction, scalars or
/// vectors with the same number of lanes.
llvm::SmallVector<mlir::Value> applyCombine(KernelContext &context, LaneBuilder &b,
                                            mlir::Region &combine, llvm::ArrayRef<mlir::Value> left,
                                            llvm::ArrayRef<mlir::Value> right);

/// Like applyCombine, but for any region, lowered at the insertion point: control flow stays, and
/// only scalars can be combined.
llvm::SmallVector<mlir::Value>
applyToScalars(KernelContext &context, ScalarBlockLowering &scalarBlocks, mlir::Region &combine,
               llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right);

using tt::identityOf;
using tt::isCommutative;

} // namespace tessera::cpu
