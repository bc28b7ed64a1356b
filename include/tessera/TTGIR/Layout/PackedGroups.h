//===- PackedGroups.h - elements in a row that one thread holds -----------===//
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
  /// Registers whose elements follow each other in the group's order, from the first.
  llvm::SmallVector<llvm::SmallVector<unsigned>> groups;
  /// Per register, the one in `groups` that holds the same element.
  llvm::SmallVector<unsigned> holder;
};

/// Groups of `size` elements (a power of two), or of all where there are fewer. Nothing
/// if a group is spread over threads.
std::optional<PackedGroups> packRegisters(const LinearLayout &layout, unsigned size);

/// Groups of the elements whose indices differ in `bits` alone, counted by them, the first
/// bit lowest. Nothing if a group is spread over threads.
std::optional<PackedGroups> packRegisters(const LinearLayout &layout,
                                          llvm::ArrayRef<TensorBit> bits);

} // namespace tessera
