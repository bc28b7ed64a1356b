//===- Reduce.h - reductions inside a loop nest ---------------------------===//
// A reduction rides along in the nest that computes its operand:
//
//   along the vector loop    one accumulator per lane in a register for a row,
//                            combined in log2(lanes) steps when the row ends
//   along an outer loop      the result's tile accumulates, lane by lane
//
// The order of elements changes, which combine functions must allow (they are
// associative and commutative). It does not depend on the number of threads.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileEvaluator.h"

namespace tessera::cpu {

struct Reduction {
  tt::ReduceOp op;
  llvm::SmallVector<mlir::Value> results; // where to write each: a tile, or a scalar's slot
};

class ReductionEmitter {
public:
  ReductionEmitter(TileEvaluator &evaluator, llvm::ArrayRef<Reduction> reductions)
      : evaluator(evaluator), context(evaluator.context), reductions(reductions) {}

  /// Before and after the vector loop, and in its bodies (or those of the
  /// innermost loop of a nest without vectors).
  void beginRow();
  void accumulate();
  void endRow();

private:
  int8_t loopOf(const Reduction &reduction) const;
  bool isAlongVectors(const Reduction &reduction) const;
  void accumulate(const Reduction &reduction, llvm::ArrayRef<mlir::Value> slots);

  TileEvaluator &evaluator;
  KernelContext &context;
  llvm::ArrayRef<Reduction> reductions;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> accumulators; // slots, per reduction
};

} // namespace tessera::cpu
