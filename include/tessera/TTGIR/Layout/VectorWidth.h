//===- VectorWidth.h - how wide a thread can access memory ----------------===//
// Questions that passes and lowerings ask of a tensor's layout: how many elements a
// thread has next to each other, and how many of them one instruction may move.
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

/// Dimensions in the order in which registers walk them, then the others, last first.
llvm::SmallVector<unsigned> dimensionOrder(const LinearLayout &layout);
/// Values a thread holds, replicas included.
uint64_t elementsPerThread(const LinearLayout &layout);
/// Per dimension, the run of consecutive elements in a thread's first registers.
llvm::SmallVector<unsigned> contiguousPerThread(const LinearLayout &layout);
/// Per dimension, the number of lanes (warps) that hold different elements.
llvm::SmallVector<unsigned> lanesPerDim(const LinearLayout &layout);
llvm::SmallVector<unsigned> warpsPerDim(const LinearLayout &layout);

/// What is known of an access along one dimension.
struct AccessFacts {
  /// Aligned runs of this many consecutive addresses (in elements).
  int64_t contiguity = 1;
  /// The first address of each run is a multiple of this, in bytes.
  int64_t divisibilityBytes = 1;
  /// Aligned runs of this many elements share one mask value; as large as you like
  /// where there is no mask.
  int64_t maskConstancy = int64_t(1) << 40;
  /// In aligned runs of this many elements, none that is masked out stands before one that
  /// is not; at least maskConstancy.
  int64_t maskPrefix = int64_t(1) << 40;
};

/// Elements that one instruction moves: `width` of them, along `dim`. The registers
/// with index bits registerBits (lowest first) hold them in order of address; these
/// need not be the lowest bits.
struct VectorAccess {
  unsigned dim = 0;
  unsigned width = 1;
  llvm::SmallVector<unsigned> registerBits;
};

/// The largest aligned power of two along `dim` that registers hold, at most `limit`.
VectorAccess vectorAlong(const LinearLayout &layout, unsigned dim, uint64_t limit);

/// The widest access along any dimension; `facts` has one entry per dimension. Ties go
/// to the dimension that registers walk first. `maxBits` is what the hardware moves at once.
VectorAccess widestAccess(const LinearLayout &layout, llvm::ArrayRef<AccessFacts> facts,
                          unsigned elementBits, unsigned maxBits = 128);

} // namespace tessera
