//===- Buffers.h - shared memory layouts for asynchronous copies ----------===//
// Decides whether a load can become an asynchronous copy into shared memory, and chooses the layout
// of the buffer, so that copies are wide and reads have no bank conflicts.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTIR/IR/TTOps.h"

namespace tessera {

/// The sizes of one copy instruction: all powers of two in this range.
struct CopySizes {
  unsigned minBytes = 4;
  unsigned maxBytes = 16;
};

struct BufferPlan {
  /// The encoding of one tile in shared memory.
  mlir::Attribute encoding;
  /// The number of elements whose addresses are known to be consecutive (async_copy's attribute).
  unsigned contiguity = 1;
  /// The mask may be true for a prefix of these elements: the copy then has fewer bytes.
  bool hasPrefixMask = false;
  /// A dot that reads the tile may run into the next iteration, which must not refill it yet.
  bool mayOutliveIteration = false;
  /// An engine copies the tile, through a descriptor (TTGIR/IR/TileCopies.h).
  bool isTileCopy = false;

  /// The type of a buffer of `count` consecutive tiles of the load's shape.
  ttg::MemDescType bufferType(mlir::Operation *load, unsigned count) const;
  ttg::MemDescType tileType(mlir::Operation *load) const;
};

/// Returns whether the op loads a tensor, through pointers or a descriptor.
bool isLoad(mlir::Operation *op);

/// Returns nothing if the load cannot become an asynchronous copy.
std::optional<BufferPlan> planBuffer(mlir::Operation *load, const AxisInfoAnalysis &axes,
                                     const CopySizes &sizes);

/// Returns the bytes of one tile in a CTA's shared memory.
uint64_t tileBytes(mlir::Operation *load, const BufferPlan &plan);

} // namespace tessera
