//===- AtomicResults.h - broadcast the old values of atomics -------------===//
// An atomic is executed once for each element, in one thread. Its result must reach all threads
// that hold the element:
//
//   tensor<1024xi32> on 128 threads   8 each, nobody else's      Own
//   tensor<16xi32> on one warp        lanes 16.. ask lanes 0..   Lanes
//   a scalar on 4 warps               through shared memory      Block
//
// The allocation of scratch and the lowering use the same plan.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/Redundancy.h"
#include "mlir/IR/Operation.h"

namespace tessera {

enum class AtomicReach {
  Own,     // no other thread needs it
  Lanes,   // the owner is the lane with the bits of owners.lanes clear
  Block,   // through a buffer with the elements in row-major order
  Cluster, // the same, in the shared memory of the CTA that owns the element
};

struct AtomicResults {
  AtomicReach reach = AtomicReach::Own;
  /// The threads that execute the atomic. For scalars: thread 0 of CTA 0.
  OwnerMasks owners;
  unsigned scratchBytes = 0;
  unsigned lanes = 1, warps = 1, blocks = 1;
  unsigned numThreads() const { return lanes * warps; }
};

/// `op` is a tt.atomic_rmw or tt.atomic_cas.
AtomicResults planAtomicResults(mlir::Operation *op);

} // namespace tessera
