//===- BlockedChoice.h - choosing a blocked layout ------------------------===//
// Blocked layouts are where layout assignment starts: one for any tensor, and one
// whose threads touch consecutive addresses.
//
//   defaultBlocked({128, 64}, {.numWarps = 4})
//     -> sizePerThread [1, 1], threadsPerWarp [1, 32], warpsPerCTA [2, 2], order [1, 0]
//
// Requires: shape, warps and threads are powers of two.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/NamedLayouts.h"

namespace tessera {

/// How many threads there are to spread a tensor over.
struct ThreadCounts {
  unsigned numWarps = 4;
  unsigned threadsPerWarp = 32;
};

/// Gives each dimension, fastest first, as many lanes and then warps as it has room
/// for; the slowest takes what is left, where they become replicas if there is none.
BlockedParams blockedForShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> sizePerThread,
                              llvm::ArrayRef<unsigned> order, ThreadCounts threads,
                              const CgaBases &cga = {});

/// One element per thread, last dimension fastest; CTAs split the slowest dimensions.
BlockedParams defaultBlocked(llvm::ArrayRef<int64_t> shape, ThreadCounts threads,
                             unsigned numCTAs = 1);

/// How `numCTAs` share a tensor by default: from the slowest dimension in `order`.
CgaBases defaultCga(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> sizePerThread,
                    llvm::ArrayRef<unsigned> order, unsigned numCTAs);

/// Dimensions by falling contiguity; among equals the last one first.
llvm::SmallVector<unsigned> orderByContiguity(llvm::ArrayRef<int64_t> contiguity);

/// `perThread` neighbours along order[0] in each thread, but no more than leave every
/// thread something to do. Threads with several single elements have them in few rows.
BlockedParams coalescedBlocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                               unsigned perThread, ThreadCounts threads, const CgaBases &cga = {});

/// Lanes along `order`, each doubling of the warps along the dimension of which a thread
/// has the most elements: it needs few indices of any. Those of the slowest, where it has no
/// lanes, are neighbours: they go to shared memory at once if they are neighbours there.
BlockedParams scatteredBlocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                               ThreadCounts threads, const CgaBases &cga = {});

} // namespace tessera
