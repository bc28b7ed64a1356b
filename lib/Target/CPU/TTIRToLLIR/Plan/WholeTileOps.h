//===- WholeTileOps.h - which ops take whole tensors ----------------------===//
// Ops whose result elements depend on more of an operand than the element at the
// same index: their tensor operands and results are stored in tiles. FusionPlan
// ends groups at them, Tiles/TileOps.h lowers them.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include <string>

namespace tessera::cpu {

bool isWholeTileOp(mlir::Operation *op);
/// The tensors that must be stored in tiles before the op runs.
llvm::SmallVector<mlir::Value> tensorsInMemory(mlir::Operation *op);
/// Returns whether the operand is the left or right matrix of a tt.dot, which may be stored by
/// columns.
bool isMatrix(mlir::OpOperand &use);
/// The source of a transposition of the last two dimensions, which a dot reads as easily as its
/// result; null for other values.
mlir::Value beforeTransposition(mlir::Value operand);
/// Returns whether all elements are known to be zero: such an accumulator of a dot is not read.
bool isZero(mlir::Value value);
/// Returns the mask of an atomic if it is known to be true everywhere; null otherwise.
mlir::Value idleMask(mlir::Operation *op);

/// Returns the op because of which a combine region cannot be applied to vectors; null if it can
/// be.
mlir::Operation *findUncombinable(mlir::Region &combine);

} // namespace tessera::cpu
