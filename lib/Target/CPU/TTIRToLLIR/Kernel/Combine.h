//===- Combine.h - the function of a reduction or scan --------------------===//
// A combine region takes two elements (each perhaps several values) and gives
// one. It is applied to lanes: the same ops compute on vectors. Conditionals
// become selects; both sides are computed, which is right because combine
// functions have no effects.
//===----------------------------------------------------------------------===//
#pragma once

#include "KernelContext.h"
#include "ScalarBlockLowering.h"
#include "tessera/TTIR/IR/CombineRegions.h"
#include "../Plan/WholeTileOps.h"

namespace tessera::cpu {

/// What a region of one block returns for `arguments`, scalars or vectors of one
/// number of lanes.
llvm::SmallVector<mlir::Value> applyToLanes(KernelContext &context, LaneBuilder &b,
                                            mlir::Region &function,
                                            llvm::ArrayRef<mlir::Value> arguments);

/// combine(left, right). Each side has one value per operand of the reduction,
/// scalars or vectors of one number of lanes.
llvm::SmallVector<mlir::Value> applyCombine(KernelContext &context, LaneBuilder &b,
                                            mlir::Region &combine, llvm::ArrayRef<mlir::Value> left,
                                            llvm::ArrayRef<mlir::Value> right);

/// The same for a region of any kind, lowered at the builder's place: control
/// flow stays, and only scalars can be combined.
llvm::SmallVector<mlir::Value>
applyToScalars(KernelContext &context, ScalarBlockLowering &scalarBlocks, mlir::Region &combine,
               llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right);

using tt::identityOf;
using tt::isCommutative;

} // namespace tessera::cpu
