//===- AtomicResults.h - how old values reach every thread ----------------===//
// An atomic happens once for each element, in one thread. What it found must reach
// all threads that hold the element:
//
//   tensor<1024xi32> on 128 threads   8 each, nobody else's      Own
//   tensor<16xi32> on one warp        lanes 16.. ask lanes 0..   Lanes
//   a scalar on 4 warps               through shared memory      Block
//
// The allocation of scratch and the lowering follow the same plan.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/Redundancy.h"
#include "mlir/IR/Operation.h"

namespace tessera {

enum class AtomicReach {
  Own,     // nobody else needs it, or nobody at all
  Lanes,   // the owner is the lane with the bits of owners.lanes clear
  Block,   // by a buffer with the elements in row order
  Cluster, // the same, in the shared memory of the block that owns the element
};

struct AtomicResults {
  AtomicReach reach = AtomicReach::Own;
  /// Who performs the atomic. For scalars: thread 0 of block 0.
  OwnerMasks owners;
  unsigned scratchBytes = 0;
  unsigned lanes = 1, warps = 1, blocks = 1;
  unsigned numThreads() const { return lanes * warps; }
};

/// `op` is a tt.atomic_rmw or tt.atomic_cas.
AtomicResults planAtomicResults(mlir::Operation *op);

} // namespace tessera
