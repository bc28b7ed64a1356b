//===- RegisterVectors.h - a thread's registers, vector by vector ---------===//
// Cuts the values that a thread holds into the vectors that one instruction
// moves:
//
//   register=1 -> (0,1)  register=2 -> (0,2)  register=4 -> (8,0)
//     by bits {0, 1}: registers 0..3 are one vector, 4..7 another
//
// The bits may stand in any order; only their bases count.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

struct RegisterVectors {
  /// Registers of each vector, in the order of the elements. Registers that
  /// hold the same element as an earlier one are left out.
  llvm::SmallVector<llvm::SmallVector<unsigned>> vectors;
  /// Per register: the one that holds its element in `vectors`.
  llvm::SmallVector<unsigned> holder;
};

/// Vectors of 2^bits.size() registers: `bits` of the register index count the
/// elements of a vector, lowest first (vectorAlong gives them).
/// Requires: the bases of `bits` are independent of the other registers'.
RegisterVectors groupRegisters(const LinearLayout &layout, llvm::ArrayRef<unsigned> bits);

} // namespace tessera
