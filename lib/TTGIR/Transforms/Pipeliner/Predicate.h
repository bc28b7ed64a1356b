//===- Predicate.h - run an op only if --------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Makes `op` do nothing where `predicate` (i1) is false; its results are then anything.
/// What changes nothing stays as it is. Null where that cannot be done (canRunAhead says
/// so beforehand).
mlir::Operation *predicateOp(mlir::RewriterBase &rewriter, mlir::Operation *op,
                             mlir::Value predicate);

} // namespace tessera
