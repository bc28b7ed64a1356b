//===- PackedGroups.h - elements in a row that one thread holds -----------===//
//   register=1 -> (0,1), register=2 -> (1,0), lane=1 -> (0,2)       groups of 2
//     groups (0, 1) and (2, 3)
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct PackedGroups {
  /// Registers whose elements follow each other in row-major order, from the first.
  llvm::SmallVector<llvm::SmallVector<unsigned>> groups;
  /// Per register, the one in `groups` that holds the same element.
  llvm::SmallVector<unsigned> holder;
};

/// Groups of `size` elements (a power of two), or of all where there are fewer. Nothing
/// if a group is spread over threads.
std::optional<PackedGroups> packRegisters(const LinearLayout &layout, unsigned size);

} // namespace tessera
