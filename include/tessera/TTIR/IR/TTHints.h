//===- TTHints.h - what programs promise of values ------------------------===//
// A hint (tl.multiple_of, tl.max_contiguous, tl.max_constancy) is a discardable attribute
// of the op that defines the value. Values without such an op, the arguments of blocks
// among them, are cast to their own type, and the cast has the hint:
//
//   %q = tt.bitcast %p {tt.divisibility = dense<16> : tensor<1xi32>} : T -> T
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tessera::tt {

/// Whether the program promised something of the result of `op`.
bool hasHint(mlir::Operation *op);

} // namespace tessera::tt
