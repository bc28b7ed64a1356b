//===- AsyncCopy.h - plan asynchronous copies of a tile into a buffer ----===//
// An asynchronous copy from global to shared memory moves 4, 8 or 16 bytes per thread. Its elements
// must be consecutive both in global and in shared memory:
//
//   pointers: a thread holds (0,0..7) and (16,0..7), runs of 8 addresses
//   buffer:   rows of 64 elements, groups of 8 swapped by row
//     -> two copies of 8 elements each
//
// The pipeliner checks whether there is a plan; the lowering follows it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct AsyncCopyPlan {
  /// The elements of one copy, and the register bits that number them, lowest first.
  unsigned width = 1;
  llvm::SmallVector<unsigned> registerBits;
  /// (register, lane, warp, block) -> (offset, block), in elements.
  LinearLayout offsets;
};

/// `pointers` maps (register, lane, warp, block) and `buffer` maps (offset, block) to coordinates.
/// `contiguity`: aligned runs of that many elements, along the dimension that registers step
/// through first, have consecutive and aligned addresses and one mask bit. `copyBytes`: the sizes
/// that one instruction can move. Returns nothing if no copy is wide enough, the buffer has no
/// offset for an element, or an element would go to another CTA of the cluster.
std::optional<AsyncCopyPlan> planAsyncCopy(const LinearLayout &pointers, const LinearLayout &buffer,
                                           uint64_t contiguity, unsigned elementBytes,
                                           llvm::ArrayRef<unsigned> copyBytes);

} // namespace tessera
