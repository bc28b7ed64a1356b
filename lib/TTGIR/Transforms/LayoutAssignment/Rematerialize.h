//===- Rematerialize.h - compute a value again in another layout ----------===//
// Before a value is moved to another layout, ask what it would cost to compute
// it there. Index arithmetic, masks and pointers are cheap to repeat; loads are
// not, and are converted instead.
//
//   %p = tt.addptr %s, %i : #a        plan for %p in #b:
//                                       %p   recompute
//                                       %s   recompute (a splat)
//                                       %i   convert, if it was loaded
//
// A plan covers everything the value depends on, up to the values it converts
// or that already exist in the wanted layout; through loops and branches too.
//===----------------------------------------------------------------------===//
#pragma once

#include "LayoutCosts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace tessera {

/// A value wanted in a layout.
using LaidOutValue = std::pair<mlir::Value, mlir::Attribute>;

struct RematerializationPlan {
  enum class Step {
    Exists,    // as the source of a conversion that produced it
    Convert,   // insert a conversion after its definition
    Recompute, // clone its definition
    CarryAlong // one more result of its scf.for or scf.if
  };
  llvm::MapVector<LaidOutValue, Step> steps;
  Cost cost = 0;
};

/// How to get `value` in `encoding` without converting `value` itself.
RematerializationPlan planRematerialization(mlir::Value value, mlir::Attribute encoding,
                                            LayoutCosts &costs);

/// Carries out the plan for the source of `convert`, and returns what stands for
/// its result. Loops may be rebuilt on the way.
mlir::Value rematerialize(RematerializationPlan plan, ttg::ConvertLayoutOp convert,
                          mlir::RewriterBase &rewriter);

} // namespace tessera
