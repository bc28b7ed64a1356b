//===- Rematerialize.h - recompute a value in another layout -------------===//
// Before a value is converted to another layout, this computes the cost of recomputing it there.
// Index arithmetic, masks and pointers are cheap to recompute; loads are not, and are converted
// instead.
//
//   %p = tt.addptr %s, %i : #a        plan for %p in #b:
//                                       %p   recompute
//                                       %s   recompute (a splat)
//                                       %i   convert, if it was loaded
//
// A plan covers all values that the value depends on, up to the values that it converts or that
// already exist in the wanted layout; also through loops and branches.
//===----------------------------------------------------------------------===//
#pragma once

#include "LayoutCosts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace tessera {

/// A value in a certain layout.
using LaidOutValue = std::pair<mlir::Value, mlir::Attribute>;

struct RematerializationPlan {
  enum class Step {
    Exists,    // it is the source of a conversion that produced it
    Convert,   // insert a conversion after its definition
    Recompute, // clone its definition
    CarryAlong // add a result to its scf.for or scf.if
  };
  llvm::MapVector<LaidOutValue, Step> steps;
  Cost cost = 0;
};

/// Plans how to get `value` in `encoding` without converting `value` itself.
RematerializationPlan planRematerialization(mlir::Value value, mlir::Attribute encoding,
                                            LayoutCosts &costs);

/// Executes the plan for the source of `convert`, and returns the replacement of its result. Loops
/// may be recreated.
mlir::Value rematerialize(RematerializationPlan plan, ttg::ConvertLayoutOp convert,
                          mlir::RewriterBase &rewriter);

} // namespace tessera
