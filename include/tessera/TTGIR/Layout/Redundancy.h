//===- Redundancy.h - choose one of several copies of an element ---------===//
// A layout may hold an element in several places. Loads read all copies; a store or an atomic must
// be executed once, and arithmetic need not be repeated in one thread.
//
//   register=1 -> (1), lane=1 -> (2), lane=2 -> (0), warp=1 -> (2)
//     owners: lane bit 1 clear and warp bit 0 clear
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// Index bits that are zero for exactly one of the places of each element. A thread acts on
/// register r only if (r & registers), (lane & lanes), (warp & warps) and (block & blocks) are all
/// zero.
struct OwnerMasks {
  uint64_t registers = 0;
  uint64_t lanes = 0;
  uint64_t warps = 0;
  uint64_t blocks = 0;
  bool operator==(const OwnerMasks &) const = default;
  /// Returns whether there are no copies.
  bool isTrivial() const { return *this == OwnerMasks(); }
};
OwnerMasks ownerMasks(const LinearLayout &layout);

/// A layout without copies inside a thread, and the relation of the two register lists.
struct UniqueRegisters {
  LinearLayout layout;
  /// For each register of the new layout, one of the old that holds its element.
  llvm::SmallVector<unsigned> kept;
  /// For each register of the old layout, the new one that holds its element.
  llvm::SmallVector<unsigned> source;
};
UniqueRegisters uniqueRegisters(const LinearLayout &layout);

} // namespace tessera
