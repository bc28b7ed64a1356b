//===- RegisterVectors.h - a thread's registers, vector by vector ---------===//
// Splits the values that a thread holds into the vectors that one instruction moves:
//
//   register=1 -> (0,1)  register=2 -> (0,2)  register=4 -> (8,0)
//     by bits {0, 1}: registers 0..3 are one vector, 4..7 another
//
// The bits may be in any order; only their bases matter.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct RegisterVectors {
  /// The registers of each vector, in the order of the elements. Registers that hold the same
  /// element as an earlier one are left out.
  llvm::SmallVector<llvm::SmallVector<unsigned>> vectors;
  /// For each register, the one that holds its element in `vectors`.
  llvm::SmallVector<unsigned> holder;
};

/// Returns vectors of 2^bits.size() registers: `bits` of the register index number the elements of
/// a vector, lowest first (vectorAlong returns them). Requires: the bases of `bits` are independent
/// of the other registers'.
RegisterVectors groupRegisters(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits);

} // namespace tessera
