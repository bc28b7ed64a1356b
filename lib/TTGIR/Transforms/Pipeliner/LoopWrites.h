//===- LoopWrites.h - which loads of a loop its own ops may change --------===//
// A load that runs ahead of its iteration passes the stores and atomics of earlier
// iterations. That is wrong where one of them
//   - may write to the load's memory: same argument of the kernel, or an address of unknown
//     origin. Memory behind different arguments is taken not to overlap, as Triton does;
//   - is an atomic that acquires and whose result is used: the program may decide by it
//     that other programs' writes are there to be read.
//
// Cost: a walk over the loop, then a walk up the address of each load.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera {

class LoopWrites {
public:
  explicit LoopWrites(mlir::scf::ForOp loop);

  /// Whether `op`, or an op in its regions, loads what an op of the loop may change.
  bool mayChangeLoadsOf(mlir::Operation *op) const;

private:
  bool mayChange(mlir::Value pointer) const;

  llvm::SmallVector<mlir::Operation *> writers;
  bool acquires = false;
};

} // namespace tessera
