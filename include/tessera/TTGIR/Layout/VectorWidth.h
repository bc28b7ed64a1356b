//===- VectorWidth.h - the width of a thread's memory accesses -----------===//
// Functions of a tensor's layout for passes and lowerings: how many adjacent elements a thread has,
// and how many of them one instruction may move.
//
//   register=1 -> (0,1), register=2 -> (0,2), lane=1 -> (0,4)
//   pointers: runs of 8 along dim 1, each at a multiple of 16 bytes, f32
//     -> width 4 along dim 1, by register bits 0 and 1
//
// Requires: the outputs of the layout are dim0, dim1, ... in this order.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"

namespace tessera {

/// Returns the dimensions in the order in which registers step through them, then the others, last
/// first.
llvm::SmallVector<unsigned> dimensionOrder(const LinearLayout &layout);
/// Returns the values that a thread holds, including copies.
uint64_t elementsPerThread(const LinearLayout &layout);
/// Returns, for each dimension, the run of consecutive elements in a thread's first registers.
llvm::SmallVector<unsigned> contiguousPerThread(const LinearLayout &layout);
/// Returns, for each dimension, the number of lanes (warps) that hold different elements.
llvm::SmallVector<unsigned> lanesPerDim(const LinearLayout &layout);
llvm::SmallVector<unsigned> warpsPerDim(const LinearLayout &layout);

/// The facts about an access along one dimension.
struct AccessFacts {
  /// Aligned runs of this many elements have consecutive addresses.
  int64_t contiguity = 1;
  /// The first address of each run is a multiple of this, in bytes.
  int64_t divisibilityBytes = 1;
  /// Aligned runs of this many elements have equal mask values; unlimited if there is no mask.
  int64_t maskConstancy = int64_t(1) << 40;
  /// In aligned runs of this many elements, no masked-off element precedes one that is not; at
  /// least maskConstancy.
  int64_t maskPrefix = int64_t(1) << 40;
};

/// The elements that one instruction moves: `width` of them, along `dim`. The registers with index
/// bits registerBits (lowest first) hold them in order of address; these need not be the lowest
/// bits.
struct VectorAccess {
  unsigned dim = 0;
  unsigned width = 1;
  llvm::SmallVector<unsigned> registerBits;
};

/// Returns the largest aligned power of two along `dim` that registers hold, at most `limit`.
VectorAccess vectorAlong(const LinearLayout &layout, unsigned dim, uint64_t limit);

/// Returns the widest access along any dimension; `facts` has one entry per dimension. Among
/// equals, the dimension that registers step through first is chosen. `maxBits` is the widest
/// access of the hardware.
VectorAccess widestAccess(const LinearLayout &layout, llvm::ArrayRef<AccessFacts> facts,
                          unsigned elementBits, unsigned maxBits = 128);

} // namespace tessera
