//===- SharedMemory.h - who uses which bytes of shared memory -------------===//
// ttg-allocate-shared-memory decides once and writes the decision into the IR:
// `allocation.offset` on each op that needs a buffer, `ttg.shared` (bytes in
// all) on the module. The lowering only reads it.
//
// Scratch: some ops exchange values between threads through memory of their own
// while they run. Their lowering emits the barriers between its own phases
// (write, barrier, read); before the first access and after the last
// ttg-insert-barriers puts what is needed. Two kinds of barriers it does not put,
// so that a lowering needs them at its start too: of a warp, where the
// exchange stays within warps, and of a cluster, where it leaves the block (there
// also at its end: the others may still read this block's memory).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include <optional>

namespace tessera {

/// Where the op's buffer starts; nothing before the allocation, or for an op that
/// needs none.
inline std::optional<unsigned> getSharedOffset(mlir::Operation *op) {
  auto attr = op->getAttrOfType<mlir::IntegerAttr>(ttg::kAllocationOffsetAttr);
  return attr ? std::optional<unsigned>(attr.getInt()) : std::nullopt;
}

/// The shared memory that an op needs while it runs.
struct ScratchNeed {
  unsigned bytes = 0;
  /// Only the lanes of one warp exchange values, each warp in bytes of its own: there is
  /// no barrier of the whole block inside, and nobody else's accesses are ordered by it.
  bool withinWarp = false;
  /// Warp w's bytes are the w-th of equal shares: ops of the same size then give each warp
  /// the same bytes.
  bool inEqualShares = false;
};
ScratchNeed scratchNeed(mlir::Operation *op);

/// The bytes from one buffer of a memdesc with several to the next, and of all of them;
/// of one block of a cluster.
unsigned slotBytes(ttg::MemDescType type);
unsigned bufferBytes(ttg::MemDescType type);

/// The most that buffers and scratch of a function need at one time. Before control flow is
/// branches, all that a loop uses counts as needed at one time.
uint64_t peakSharedBytes(mlir::Region &body);

/// Every buffer starts at a multiple of this many bytes: the widest access.
inline constexpr unsigned kSharedAlignment = 16;

} // namespace tessera
