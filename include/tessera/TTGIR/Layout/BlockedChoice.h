//===- BlockedChoice.h - choose a blocked layout -------------------------===//
// Layout assignment starts from blocked layouts: a default one for any tensor, and one whose
// threads access consecutive addresses.
//
//   defaultBlocked({128, 64}, {.numWarps = 4})
//     -> sizePerThread [1, 1], threadsPerWarp [1, 32], warpsPerCTA [2, 2], order [1, 0]
//
// Requires: shape, warps and threads are powers of two.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/NamedLayouts.h"

namespace tessera {

/// The numbers of warps and of their lanes over which a tensor is distributed.
struct ThreadCounts {
  unsigned numWarps = 4;
  unsigned threadsPerWarp = 32;
};

/// Gives each dimension, fastest first, as many lanes and then warps as it has elements for; the
/// slowest dimension gets the remaining ones, which hold copies if there are too many.
BlockedParams blockedForShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> sizePerThread,
                              llvm::ArrayRef<unsigned> order, ThreadCounts threads,
                              const CgaBases &cga = {});

/// Returns a layout with one element per thread and the last dimension fastest; CTAs split the
/// slowest dimensions.
BlockedParams defaultBlocked(llvm::ArrayRef<int64_t> shape, ThreadCounts threads,
                             unsigned numCTAs = 1);

/// Returns how `numCTAs` split a tensor by default: from the slowest dimension in `order`.
CgaBases defaultCga(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> sizePerThread,
                    llvm::ArrayRef<unsigned> order, unsigned numCTAs);

/// Returns the dimensions by decreasing contiguity; among equals the last one first.
llvm::SmallVector<unsigned> orderByContiguity(llvm::ArrayRef<int64_t> contiguity);

/// Returns a layout in which each thread holds `perThread` adjacent elements along order[0], or
/// fewer if some threads would have none. If perThread is 1 and a thread holds several elements,
/// they are in few rows.
BlockedParams coalescedBlocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                               unsigned perThread, ThreadCounts threads, const CgaBases &cga = {});

/// Returns a layout for accesses without adjacent addresses. Lanes are distributed along `order`;
/// the warps are doubled along the dimension of which a thread holds the most elements, so that a
/// thread needs few different indices. If the slowest dimension has no lanes, a thread's elements
/// along it are adjacent, so that they can be stored to shared memory by one instruction.
BlockedParams scatteredBlocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                               ThreadCounts threads, const CgaBases &cga = {});

} // namespace tessera
