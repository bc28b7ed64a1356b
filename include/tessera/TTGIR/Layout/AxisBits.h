//===- AxisBits.h - the bits of an index along one dimension -------------===//
// The facts about a layout that reductions and scans need. Each bit of register, lane and warp
// moves along the axis, along another dimension, or not at all:
//
//   register=1 -> (0,1), lane=1 -> (0,2), lane=2 -> (1,0), warp=1 -> (0,0)     axis 1
//     axis      register bit 0 at position 0, lane bit 0 at position 1
//     others    lane bit 1
//     replicas  warp bit 0
//
// A thread is identified by one number: the lane in the low bits, the warp above.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// Bit `bit` of a register, lane or warp number moves by 1 << position.
struct AxisBit {
  Dim level;
  unsigned bit;
  unsigned position;
  friend bool operator==(const AxisBit &, const AxisBit &) = default;
};

struct AxisBits {
  /// The bits along the axis, lowest position first.
  llvm::SmallVector<AxisBit, 16> axis;
  /// The bits along other dimensions: first those of lanes, then of registers, then of warps.
  /// Positions are numbered consecutively.
  llvm::SmallVector<AxisBit, 16> others;
  /// The bits of register numbers, and of thread numbers, that only select copies of an element.
  uint64_t replicatedRegisters = 0;
  uint64_t replicatedThreads = 0;
  unsigned numRegisters = 1;
  unsigned laneBits = 0;

  /// Returns the mask of `bit` in a thread's number; 0 for registers.
  uint64_t threadMask(const AxisBit &bit) const {
    if (bit.level == Dim::reg())
      return 0;
    return uint64_t(1) << (bit.level == Dim::lane() ? bit.bit : laneBits + bit.bit);
  }
};

/// Returns nothing if a basis moves along several dimensions or by several bits of one, if two
/// bases move alike, or if the CTAs of a cluster split the axis.
std::optional<AxisBits> classifyBits(const LinearLayout &layout, unsigned axis);

/// Returns whether the CTAs of a cluster hold different parts of the axis.
bool splitsAxisBetweenBlocks(const LinearLayout &layout, unsigned axis);

/// The threads whose number has the value `value` in the bits of `mask`.
struct ThreadTest {
  uint64_t mask = 0;
  uint64_t value = 0;
};

/// The lane that a lane reads from: (lane & keep) | set; or, if `previousIn` is not 0, the lane
/// whose number in these bits is one less (one more if `reverse`).
struct LaneSource {
  uint64_t keep = 0;
  uint64_t set = 0;
  uint64_t previousIn = 0;
  bool reverse = false;

  uint64_t of(uint64_t lane) const {
    if (previousIn == 0)
      return (lane & keep) | set;
    uint64_t moved = reverse ? (lane | ~previousIn) + 1 : (lane & previousIn) - 1;
    return (moved & previousIn) | (lane & ~previousIn);
  }
};

/// An exchange through shared memory, one element per value. Threads of `writers` store register r
/// at stores(r, thread); after a barrier each thread loads `slots` consecutive elements starting at
/// loads(r, thread).
struct ExchangePlan {
  LinearLayout stores;
  LinearLayout loads;
  ThreadTest writers;
  unsigned slots = 1;
  /// The total number of elements.
  unsigned size = 0;
};

/// Bit `bit.bit` of `bit.level` moves the offset by 1 << position.
struct OffsetBit {
  AxisBit bit;
  unsigned position;
};
/// Returns the map (register, lane, warp) -> offset below `size`, with the input sizes of `like`.
/// Input bits that are not in `bits` map to zero.
LinearLayout offsetLayout(const LinearLayout &like, llvm::ArrayRef<OffsetBit> bits, unsigned size);

} // namespace tessera
