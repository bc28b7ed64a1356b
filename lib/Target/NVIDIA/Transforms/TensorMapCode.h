//===- TensorMapCode.h - descriptors and coordinates of a plan, as code ---===//
// Writes the polynomials of a plan (TensorMapPlan.h) as arithmetic.
//===----------------------------------------------------------------------===//
#pragma once

#include "TensorMapPlan.h"
#include "tessera/TTGIR/IR/TTGOps.h"

namespace tessera::nvidia {

/// The type of a descriptor of tiles: a block with the layout of the buffer, after dimensions of
/// size one.
tt::TensorDescType descriptorType(const TensorMapPlan &plan, mlir::RankedTensorType tile,
                                  ttg::NvmmaSharedEncodingAttr buffer);

/// Returns the value that is computed last, of those of which the kernel makes the map. All of them
/// dominate the access.
mlir::Value findLastPart(const TensorMapPlan &plan, const BlockAddresses &addresses);

/// Returns whether a loop around the op does not contain the value.
bool isUsedInLoop(mlir::Value value, mlir::Operation *op);

/// Makes the descriptor. For the launcher its parts are computed again from the kernel's arguments.
/// No map has an extent of 0: the kernel makes that of one element instead.
mlir::Value emitDescriptor(mlir::OpBuilder &b, mlir::Location loc, const TensorMapPlan &plan,
                           MapMaker maker, tt::TensorDescType type,
                           const BlockAddresses &addresses);

/// Returns where a tile lies in the tensor.
llvm::SmallVector<mlir::Value> emitCoordinates(mlir::OpBuilder &b, mlir::Location loc,
                                               const TensorMapPlan &plan,
                                               const BlockAddresses &addresses);

/// Returns the extent of a tensor, an i32.
mlir::Value emitExtent(mlir::OpBuilder &b, mlir::Location loc,
                       const TensorMapPlan::Dimension &dimension, const BlockAddresses &addresses);

/// Returns whether the tensor has any elements.
mlir::Value emitHasElements(mlir::OpBuilder &b, mlir::Location loc, const TensorMapPlan &plan,
                            const BlockAddresses &addresses);

/// Removes the pointers of accesses that are gone, also where loops carry them.
void removeDeadPointers(tt::FuncOp kernel);

} // namespace tessera::nvidia
