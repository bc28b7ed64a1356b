//===- Predicate.h - predicate the ops of a pipelined loop ------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Changes `op` so that it has no effect if `predicate` (i1) is false; its results are then
/// undefined. Ops without effects are not changed. Returns null if the op cannot be predicated,
/// which canRunAhead tells beforehand.
mlir::Operation *predicateOp(mlir::RewriterBase &rewriter, mlir::Operation *op,
                             mlir::Value predicate);

} // namespace tessera
