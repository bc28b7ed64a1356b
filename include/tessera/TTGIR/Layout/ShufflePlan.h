//===- ShufflePlan.h - plan a layout conversion by shuffles --------------===//
// Lane l needs, for its register r, the value of register r' of lane l', where
//
//   r' = A r + B l        l' = C r + D l        (linear maps over F2)
//
// In one exchange every lane sends one register and receives one. Let exchange number x give lane l
// its register r = x + g(l). It reads from lane C x + M l with M = C g + D, and if some h has A g +
// B = h M, then lane s sends register (A + h C) x + h(s), which it can compute. So a conversion is
//
//   before   permute a lane's registers by h(lane)     selects
//   exchange number x                                  one shuffle each
//   after    permute the received ones by g(lane)      selects
//
// If M is the identity, exchanges with C x = 0 stay in the lane and cost nothing: a swap of one
// register bit with one lane bit moves half of the registers.
//
// Small elements are moved in words of up to 32 bits, packed along register bits that move
// together.
//
// Cost of planning: some eliminations of matrices of 5 and a few more rows.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// If parity(lane & lanes) is odd, register index i takes the value of i ^ registers.
struct LaneSwap {
  uint64_t registers;
  uint64_t lanes;
};

struct ShufflePlan {
  llvm::SmallVector<LaneSwap> before, after;
  /// For each bit of the result's register index: the register that is sent for it, and the lane
  /// bits by which its source differs.
  llvm::SmallVector<uint64_t> sent, distance;
  /// For each lane bit, the lane that is read from (M); the identity if every lane reads from its
  /// own number ^ distance.
  llvm::SmallVector<uint64_t> lanes;
  /// The register bits that number the elements of a word, in the result and in the source, and for
  /// each register bit the words' own bits: index = word ^ position within it.
  llvm::SmallVector<uint64_t> packedTo, packedFrom;
  llvm::SmallVector<uint64_t> wordTo, wordFrom;

  bool isXor() const;
  /// Per lane: the shuffles of words, the selects between words, and the permutations of bytes that
  /// pack and unpack words whose elements are not in consecutive registers.
  unsigned numShuffles = 0, numSelects = 0, numPermutes = 0;
};

/// `map` maps (register, lane) of the result to (register, lane) of the source. Requires: no two
/// registers of the result hold the same element. Returns nothing if there is no such exchange.
std::optional<ShufflePlan> planShuffles(const LinearLayout &map, unsigned elementBits);

} // namespace tessera
