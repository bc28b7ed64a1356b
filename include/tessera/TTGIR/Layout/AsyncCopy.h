//===- AsyncCopy.h - how a tile is copied into a buffer -------------------===//
// A copy from global to shared memory without registers moves 4, 8 or 16 bytes
// of a thread. Its elements must be consecutive where they come from and where
// they go:
//
//   pointers: a thread holds (0,0..7) and (16,0..7), runs of 8 addresses
//   buffer:   rows of 64 elements, groups of 8 swapped by row
//     -> two copies of 8 elements each
//
// The pipeliner asks whether there is a plan, the lowering follows it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct AsyncCopyPlan {
  /// Elements of one copy, and the register bits that count them, lowest first.
  unsigned width = 1;
  llvm::SmallVector<unsigned> registerBits;
  /// (register, lane, warp, block) -> (offset, block), in elements.
  LinearLayout offsets;
};

/// `pointers` maps (register, lane, warp, block) and `buffer` (offset, block) to
/// coordinates. `contiguity`: aligned runs of that many elements, along the dimension
/// that registers walk first, have consecutive and aligned addresses and one mask bit.
/// `copyBytes`: what one instruction can move. Nothing where no copy is wide enough, the
/// buffer has no place for an element, or one would go to another block of the cluster.
std::optional<AsyncCopyPlan> planAsyncCopy(const LinearLayout &pointers, const LinearLayout &buffer,
                                           uint64_t contiguity, unsigned elementBytes,
                                           llvm::ArrayRef<unsigned> copyBytes);

} // namespace tessera
