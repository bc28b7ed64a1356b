//===- BufferPacking.h - assign offsets to buffers -----------------------===//
// Buffers that are live at the same time get disjoint bytes; others may share.
//
//   A 32 bytes, B 16, C 32; A and B, B and C are live together
//     A at 0, B at 32, C at 0: 48 bytes
//
// Finding the smallest total is NP-hard. Each buffer in turn gets the lowest offset that is free;
// then the buffer that ends last is placed earlier in the order, until a lower bound is reached or
// enough orders have been tried.
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
  /// The buffers that are live at the same time; symmetric, as long as the list.
  llvm::BitVector conflicts;
};

struct Packing {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
};

/// `bound`: bytes that every packing needs, such as the most that are live at once. Cost: n^2 for
/// each try; one try if the first reaches the bound.
Packing packBuffers(llvm::ArrayRef<BufferToPack> buffers, uint64_t bound);

} // namespace tessera
