//===- BufferPacking.h - give buffers their places ------------------------===//
// Buffers that are in use at the same time get disjoint bytes; others may share.
//
//   A 32 bytes, B 16, C 32; A and B, B and C are in use together
//     A at 0, B at 32, C at 0: 48 bytes
//
// Finding the smallest total is NP-hard. Each buffer in turn takes the lowest
// place that is free; the buffer that sticks out furthest then gets an earlier
// turn, until a bound that no packing can beat is reached or enough has been tried.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include <cstdint>
#include <vector>

namespace tessera {

struct BufferToPack {
  uint64_t bytes = 0;
  uint64_t alignment = 1; // a power of two
  /// The buffers in use at the same time; symmetric, of the size of the list.
  llvm::BitVector conflicts;
};

struct Packing {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
};

/// `bound`: bytes that every packing needs, such as the most that are in use at once.
/// Cost: n^2 for each try; one try where the first reaches the bound.
Packing packBuffers(llvm::ArrayRef<BufferToPack> buffers, uint64_t bound);

} // namespace tessera
