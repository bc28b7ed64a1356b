//===- CollectiveScratch.h - where partial results lie --------------------===//
// A reduction or scan of several operands gives each its own part of the scratch
// memory, one after the other. The allocation and the lowering both ask here.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/ValueRange.h"

namespace tessera {

struct CollectiveScratch {
  /// Where each operand's part begins, aligned for the widest access.
  llvm::SmallVector<unsigned, 2> offsets;
  unsigned bytes = 0;
};

/// Of `count` elements for each of the tensors `operands`.
CollectiveScratch placeScratch(mlir::ValueRange operands, unsigned count);

} // namespace tessera
