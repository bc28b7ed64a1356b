//===- Buffers.h - where a load's tiles wait for their use ----------------===//
// Decides whether a load can become an asynchronous copy into shared memory, and how
// the elements lie there, so that copies are wide and reads are free of conflicts.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTIR/IR/TTOps.h"

namespace tessera {

/// What one copy instruction moves: powers of two between these.
struct CopySizes {
  unsigned minBytes = 4;
  unsigned maxBytes = 16;
};

struct BufferPlan {
  /// Of one tile in shared memory.
  mlir::Attribute encoding;
  /// Elements whose addresses are known to be consecutive (async_copy's attribute).
  unsigned contiguity = 1;
  /// Of those, the first few may be masked in and the rest out: a copy of fewer bytes.
  bool hasPrefixMask = false;
  /// A dot that reads the tile may run into the next iteration: slots are refilled at the end
  /// of an iteration, when that dot is over.
  bool isRefilledLast = false;

  /// `count` tiles of the load's shape behind each other.
  ttg::MemDescType bufferType(tt::LoadOp load, unsigned count) const;
  ttg::MemDescType tileType(tt::LoadOp load) const;
};

/// Nothing where the load cannot be such a copy.
std::optional<BufferPlan> planBuffer(tt::LoadOp load, const AxisInfoAnalysis &axes,
                                     const CopySizes &sizes);

/// Bytes of one tile in a CTA's shared memory.
uint64_t tileBytes(tt::LoadOp load, const BufferPlan &plan);

} // namespace tessera
