//===- ShufflePlan.h - a conversion by exchanges between lanes ------------===//
// Lane l wants, for its register r, what register r' of lane l' holds, where
//
//   r' = A r + B l        l' = C r + D l        (linear maps over F2)
//
// In one exchange every lane sends one register and receives one. Let exchange number
// x give lane l its register r = x + g(l). It reads from lane C x + M l with
// M = C g + D, and if some h has A g + B = h M, then lane s sends register
// (A + h C) x + h(s): which it can know. So a conversion is
//
//   before   permute a lane's registers by h(lane)     selects
//   exchange number x                                  one shuffle each
//   after    permute the received ones by g(lane)      selects
//
// With M the identity, exchanges with C x = 0 stay in the lane and cost nothing: a swap
// of one register bit with one lane bit ships half of the registers.
//
// Small elements travel in words of up to 32 bits, packed along register bits that
// move together.
//
// Cost of planning: some eliminations of matrices of 5 and a few more rows.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// Where parity(lane & lanes) is odd, register index i takes the value of i ^ registers.
struct LaneSwap {
  uint64_t registers;
  uint64_t lanes;
};

struct ShufflePlan {
  llvm::SmallVector<LaneSwap> before, after;
  /// Per bit of the result's register index: the register sent for it, and the lane bits
  /// by which it comes from afar.
  llvm::SmallVector<uint64_t> sent, distance;
  /// Per lane bit, the lane read from (M); the identity where every lane reads from
  /// its own place ^ distance.
  llvm::SmallVector<uint64_t> lanes;
  /// The register bits that count the elements of a word, in the result and in the
  /// source, and per register bit the words' own bits: index = word ^ place within it.
  llvm::SmallVector<uint64_t> packedTo, packedFrom;
  llvm::SmallVector<uint64_t> wordTo, wordFrom;

  bool isXor() const;
  /// Of words, and of selects between words, per lane.
  unsigned numShuffles = 0, numSelects = 0;
};

/// `map` takes (register, lane) of the result to (register, lane) of the source.
/// Requires: no two registers of the result hold the same element.
/// Nothing where the exchange is none of this kind.
std::optional<ShufflePlan> planShuffles(const LinearLayout &map, unsigned elementBits);

} // namespace tessera
