//===- NestedLoops.h - which loops in loops become one --------------------===//
// ttg-fuse-nested-loops leaves a nest as it is unless
//   - there is exactly one loop in the outer one, directly in its body, with no loops inside;
//   - both count signed numbers, and the inner bounds do not depend on the outer iteration;
//   - the fused loop will be pipelined: it has stages, and the inner loop loads;
//   - what comes before the epilogue may run before the epilogues of earlier iterations: the
//     prologue writes nothing, and neither prologue nor body load what the nest writes or use
//     what an earlier epilogue has computed.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Two loops that become one.
struct Nest {
  mlir::scf::ForOp outer, inner;
  /// By carried value of the outer and of the inner loop: whether an early stage computes it.
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

/// The only loop in `outer`, directly in its body, and without loops inside; or null.
mlir::scf::ForOp findInner(mlir::scf::ForOp outer);

/// Why a loop that asks for it is not fused with its inner loop; empty where it can be.
llvm::StringRef planFusion(mlir::scf::ForOp outer, unsigned defaultStages, Nest &nest);

/// Whether one of the loops has its own number of stages.
bool saysStages(Nest &nest);
/// Of the fused loop: the larger of what the two loops say, as in Triton; else the default.
unsigned stagesOf(Nest &nest, unsigned defaultStages);

/// Moves prologue ops that only the epilogue uses behind the inner loop, and repeats there
/// those that are cheap to repeat.
void sinkIntoEpilogue(Nest &nest, mlir::RewriterBase &b);

} // namespace tessera
