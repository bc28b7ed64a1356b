//===- NestGuards.h - may these accesses run element by element? ----------===//
// The run-time test in front of a nest (FusionPlan.h says why there is one):
// for each pair of accesses of which one is a store, either their bytes are
// apart, or both touch the same element in the same iteration and no other.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileEvaluator.h"

namespace tessera::cpu {

/// Appends an i1 scalar per condition to `guards`. `extents` are the nest's;
/// every address is affine when there is a store.
void emitAliasGuards(LaneBuilder &b, llvm::ArrayRef<NestAccess> accesses,
                     llvm::ArrayRef<int64_t> extents, llvm::SmallVectorImpl<mlir::Value> &guards);

} // namespace tessera::cpu
