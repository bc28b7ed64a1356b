//===- SharedMemory.h - the allocation of shared memory ------------------===//
// ttg-allocate-shared-memory decides once and attaches the result to the IR: `allocation.offset` to
// each op that needs a buffer, `ttg.shared` (total bytes) to the module. The lowering only reads
// it.
//
// Scratch: some ops exchange values between threads through their own memory while they run. Their
// lowering emits the barriers between its own phases (write, barrier, read); ttg-insert-barriers
// inserts those before the first access and after the last. It does not insert two kinds of
// barriers, which the lowering must therefore emit at its start: of a warp, if the exchange stays
// within warps, and of a cluster, if it leaves the CTA (then also at its end: the others may still
// read this CTA's memory).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include <optional>

namespace tessera {

/// Marks a load that runs ahead, then its buffer: an iteration refills the slots at its end, so
/// that a dot of the iteration before may run into it.
inline constexpr llvm::StringLiteral kRefilledLastAttr = "ttg.refilled_last";
/// Marks a load that runs ahead, then its buffer: there is one more slot, so that a dot may run
/// into the next iteration, which refills the others.
inline constexpr llvm::StringLiteral kSpareSlotAttr = "ttg.spare_slot";

/// Marks a kernel: warps of their own start the copies of tiles. They wait for slots, not the warps
/// that compute, and run ahead into the next iteration of loops around a pipelined one.
inline constexpr llvm::StringLiteral kSeparateCopiesAttr = "ttg.separate_copies";

/// Returns the offset of the op's buffer; nothing before the allocation, or for an op that needs
/// none.
inline std::optional<unsigned> getSharedOffset(mlir::Operation *op) {
  auto attr = op->getAttrOfType<mlir::IntegerAttr>(ttg::kAllocationOffsetAttr);
  return attr ? std::optional<unsigned>(attr.getInt()) : std::nullopt;
}

/// The shared memory that an op needs while it runs.
struct ScratchNeed {
  unsigned bytes = 0;
  /// Values are exchanged only between the lanes of one warp, each warp in its own bytes: there is
  /// no barrier of the CTA, and no other accesses are ordered by it.
  bool withinWarp = false;
  /// Warp w's bytes are the w-th of equal shares: ops of the same size then give each warp the same
  /// bytes.
  bool inEqualShares = false;
  unsigned alignment = 16;
};
ScratchNeed scratchNeed(mlir::Operation *op);

/// Returns the bytes from one buffer of a memdesc with several to the next, and of all of them, for
/// one CTA of a cluster.
unsigned slotBytes(ttg::MemDescType type);
unsigned bufferBytes(ttg::MemDescType type);

/// Returns the largest size of buffers and scratch of a function that are live at the same time.
/// Before control flow is lowered to branches, all buffers that a loop uses count as live together.
uint64_t peakSharedBytes(mlir::Region &body);

/// Returns the shared memory that these take when offsets are assigned: gaps between buffers count.
uint64_t packedSharedBytes(mlir::Region &body);

/// The alignment of every buffer in bytes: the widest access.
inline constexpr unsigned kSharedAlignment = 16;

} // namespace tessera
