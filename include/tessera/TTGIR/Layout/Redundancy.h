//===- Redundancy.h - which of several copies counts ----------------------===//
// A layout may hold an element in several places. Loads read all copies; a store or
// an atomic must happen once, and arithmetic need not be done twice in one thread.
//
//   register=1 -> (1), lane=1 -> (2), lane=2 -> (0), warp=1 -> (2)
//     owners: lane bit 1 clear and warp bit 0 clear
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// Index bits that are zero for exactly one of the places of each element. A thread
/// acts on register r only if (r & registers), (lane & lanes), (warp & warps) and
/// (block & blocks) are all zero.
struct OwnerMasks {
  uint64_t registers = 0;
  uint64_t lanes = 0;
  uint64_t warps = 0;
  uint64_t blocks = 0;
  bool operator==(const OwnerMasks &) const = default;
  /// Whether every place counts.
  bool isTrivial() const { return *this == OwnerMasks(); }
};
OwnerMasks ownerMasks(const LinearLayout &layout);

/// A layout without copies inside a thread, and how the two register lists relate.
struct UniqueRegisters {
  LinearLayout layout;
  /// For each register of the new layout, one of the old that holds its element.
  llvm::SmallVector<unsigned> kept;
  /// For each register of the old layout, the new one that holds its element.
  llvm::SmallVector<unsigned> source;
};
UniqueRegisters uniqueRegisters(const LinearLayout &layout);

} // namespace tessera
