//===- LoopWrites.h - loads of memory that the loop itself may write ------===//
// A load that runs ahead of its iteration passes the stores and atomics of earlier iterations. That
// is wrong if one of them
//   - may write to the load's memory: both addresses come from the same argument of the kernel, or
//     one is of unknown origin. As in Triton, memory of different arguments is assumed not to
//     overlap;
//   - is an atomic with acquire semantics whose result is used: the program may conclude from it
//     that another program's writes are visible.
//
// Cost: a walk over the loop, then a walk up the address of each load.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera {

class LoopWrites {
public:
  explicit LoopWrites(mlir::scf::ForOp loop);

  /// Returns whether `op`, or an op in its regions, loads memory that an op of the loop may write.
  bool mayChangeLoadsOf(mlir::Operation *op) const;

private:
  bool mayChange(mlir::Value pointer) const;

  llvm::SmallVector<mlir::Operation *> writers;
  bool acquires = false;
};

} // namespace tessera
