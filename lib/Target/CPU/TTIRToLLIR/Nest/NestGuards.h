//===- NestGuards.h - run-time aliasing checks of a nest -----------------===//
// The run-time check in front of a nest (FusionPlan.h explains why there is one): for each pair of
// accesses of which one is a store, either their bytes are disjoint, or both touch the same element
// in the same iteration and no other.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileEvaluator.h"

namespace tessera::cpu {

/// Appends an i1 per condition to `guards`. `extents` are the nest's; if there is a store, every
/// address is affine.
void emitAliasGuards(LaneBuilder &b, llvm::ArrayRef<NestAccess> accesses,
                     llvm::ArrayRef<int64_t> extents, llvm::SmallVectorImpl<mlir::Value> &guards);

} // namespace tessera::cpu
