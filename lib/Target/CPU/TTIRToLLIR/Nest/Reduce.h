//===- Reduce.h - reductions inside a loop nest ---------------------------===//
// A reduction is computed in the nest that computes its operand:
//
//   along the vector loop    one accumulator per lane in a register for a row,
//                            combined in log2(lanes) steps when the row ends
//   along an outer loop      the result's tile accumulates, lane by lane
//
// The order of elements changes only for functions that are known to be commutative and associative
// (Combine.h); for others, the lanes of each step are combined in order, and then with the earlier
// steps. The result does not depend on the number of threads.
//
// Long sums of floats are computed by a tree, as on a GPU: runs of 16 steps are summed one after
// the other, and runs pairwise, with one partial sum for each level of the tree. Rounding errors
// grow with the logarithm of the length.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileEvaluator.h"

namespace tessera::cpu {

struct Reduction {
  tt::ReduceOp op;
  llvm::SmallVector<mlir::Value> results; // the destinations: tiles, or a scalar's slot
};

class ReductionEmitter {
public:
  ReductionEmitter(KernelContext &context, const NestLoops &loops, TileEvaluator &evaluator,
                   llvm::ArrayRef<Reduction> reductions)
      : context(context), loops(loops), evaluator(evaluator), reductions(reductions) {}

  /// Emits code in front of the nest; requires that its loops are known.
  void begin();
  /// Emit code before, after and in the bodies of the vector loop (or of the innermost loop of a
  /// nest without vectors).
  void beginRow();
  void accumulate();
  void endRow();

private:
  int8_t loopOf(const Reduction &reduction) const;
  bool isAlongVectors(const Reduction &reduction) const;
  /// Returns whether lanes must be combined from the first to the last, at every step.
  bool isOrdered(const Reduction &reduction) const;
  llvm::SmallVector<mlir::Value> combineLanes(const Reduction &reduction,
                                              llvm::SmallVector<mlir::Value> values);
  void accumulate(const Reduction &reduction, llvm::ArrayRef<mlir::Value> slots);
  /// Returns the number of steps that are combined one after the other in a lane.
  int64_t stepsOf(const Reduction &reduction) const;
  bool needsTree(const Reduction &reduction) const;
  uint64_t levelBytes(const Reduction &reduction) const;
  mlir::Value climbTree(const Reduction &reduction, mlir::Value step, mlir::Value run);

  KernelContext &context;
  const NestLoops &loops;
  TileEvaluator &evaluator;
  llvm::ArrayRef<Reduction> reductions;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> accumulators; // slots, for each reduction
  llvm::DenseMap<mlir::Operation *, mlir::Value> trees;           // partial sums, for each level
};

} // namespace tessera::cpu
