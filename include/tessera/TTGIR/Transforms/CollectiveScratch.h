//===- CollectiveScratch.h - scratch memory of reductions and scans ------===//
// A reduction or scan of several operands gives each its own part of the scratch memory, one after
// the other. Both the allocation and the lowering call this.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/ValueRange.h"

namespace tessera {

struct CollectiveScratch {
  /// The offset of each operand's part, aligned for the widest access.
  llvm::SmallVector<unsigned, 2> offsets;
  unsigned bytes = 0;
};

/// Reserves `count` elements for each of the tensors `operands`.
CollectiveScratch placeScratch(mlir::ValueRange operands, unsigned count);

} // namespace tessera
