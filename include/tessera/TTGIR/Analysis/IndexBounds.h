//===- IndexBounds.h - a mask as bounds of indices ------------------------===//
// A mask that is a conjunction of comparisons of indices with values that are equal for the whole
// tile is a box:
//
//   (m[:, None] < M) & (n[None, :] < N)     m = 128 pid + i0:   i0 < M - 128 pid, i1 < ...
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/BlockAddresses.h"

namespace tessera {

/// The bounds along one dimension: first <= index < end.
struct IndexBounds {
  std::optional<Polynomial> first, end;
  /// The bound of an unsigned comparison, which states `first` and `end` together. They hold only
  /// where this value is not negative.
  std::optional<Polynomial> unsignedEnd;
};

/// Returns the bounds along each dimension that a mask states (null: none); nothing if it says
/// anything else.
std::optional<llvm::SmallVector<IndexBounds>> findBounds(mlir::Value mask, unsigned rank,
                                                         BlockAddresses &addresses);

} // namespace tessera
