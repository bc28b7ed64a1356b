//===- NestedLoops.h - loop nests that can be fused -----------------------===//
// ttg-fuse-nested-loops fuses a nest only if
//   - there is exactly one loop in the outer one, directly in its body, with no loops inside;
//   - both count signed numbers, and the inner bounds do not depend on the outer iteration;
//   - the fused loop will be pipelined: it has stages, and the inner loop loads;
//   - the prologue and the body may run before the epilogues of earlier iterations: the prologue
//     writes nothing, and neither of them loads memory that the nest writes or uses values that an
//     earlier epilogue computes.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Two loops that become one.
struct Nest {
  mlir::scf::ForOp outer, inner;
  /// For each carried value of the outer and of the inner loop, whether it is computed early.
  llvm::SmallVector<bool> isOuterEarly, isInnerEarly;

  bool isInPrologue(mlir::Operation *op) {
    return op->getBlock() == outer.getBody() && isBefore(op);
  }
  bool isBefore(mlir::Operation *op) { return op->isBeforeInBlock(inner); }
  bool isFromOutside(mlir::Value value) {
    return !outer->isAncestor(value.getParentRegion()->getParentOp());
  }
  /// The op of the outer loop's body that contains the use.
  mlir::Operation *placeOf(mlir::OpOperand &use) {
    return outer.getBody()->findAncestorOpInBlock(*use.getOwner());
  }
};

/// Returns the only loop in `outer` if it is directly in its body and contains no loops; or null.
mlir::scf::ForOp findInner(mlir::scf::ForOp outer);

/// Returns whether the program walks over tiles, in this loop or one around it, from that of its
/// own number on: `for tile in range(tl.program_id(0), tiles, PROGRAMS)`.
bool walksOverTiles(mlir::scf::ForOp loop);

/// Fills in `nest`; returns why a loop cannot be fused with its inner loop, or nothing.
llvm::StringRef planFusion(mlir::scf::ForOp outer, unsigned defaultStages, Nest &nest);

/// Returns whether one of the loops has its own number of stages.
bool saysStages(Nest &nest);
/// Returns the fused loop's number of stages: the larger of the two loops', as in Triton, or the
/// default.
unsigned stagesOf(Nest &nest, unsigned defaultStages);

/// Moves prologue ops that only the epilogue uses behind the inner loop, and recomputes cheap ops
/// there.
void sinkIntoEpilogue(Nest &nest, mlir::RewriterBase &b);

} // namespace tessera
