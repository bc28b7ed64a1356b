//===- PackedGroups.h - groups of adjacent elements in one thread --------===//
// Inline assembly and map_elementwise may take several elements at once. This finds the registers
// of each group:
//
//   register=1 -> (0,1), register=2 -> (1,0), lane=1 -> (0,2)       groups of 2
//     groups (0, 1) and (2, 3) in row-major order, (0, 2) and (1, 3) along axis 0
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// A bit of an element's index along an axis.
struct TensorBit {
  unsigned axis;
  unsigned bit;
  friend bool operator==(const TensorBit &, const TensorBit &) = default;
};

struct PackedGroups {
  /// Registers whose elements are consecutive in the group's order, starting with the first.
  llvm::SmallVector<llvm::SmallVector<unsigned>> groups;
  /// For each register, the one in `groups` that holds the same element.
  llvm::SmallVector<unsigned> holder;
};

/// Groups of `size` elements (a power of two), or of all if there are fewer. Returns nothing if a
/// group is distributed over threads.
std::optional<PackedGroups> packRegisters(const LinearLayout &layout, unsigned size);

/// Groups of the elements whose indices differ only in `bits`, numbered by them, the first bit
/// lowest. Returns nothing if a group is distributed over threads.
std::optional<PackedGroups> packRegisters(const LinearLayout &layout,
                                          llvm::ArrayRef<TensorBit> bits);

} // namespace tessera
