//===- BlockedChoice.cpp - choose a blocked layout ------------------------===//
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "FitToShape.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

BlockedParams tessera::blockedForShape(ArrayRef<int64_t> shape, ArrayRef<unsigned> sizePerThread,
                                       ArrayRef<unsigned> order, ThreadCounts threads,
                                       const CgaBases &cga) {
  SmallVector<int64_t> perCTA = shapePerCTA(shape, cga);
  BlockedParams params{.sizePerThread = SmallVector<unsigned>(sizePerThread),
                       .threadsPerWarp = SmallVector<unsigned>(shape.size(), 1),
                       .warpsPerCTA = SmallVector<unsigned>(shape.size(), 1),
                       .order = SmallVector<unsigned>(order),
                       .cga = cga};
  int64_t lanes = threads.threadsPerWarp, warps = threads.numWarps;
  for (unsigned d : order.drop_back()) {
    int64_t room = std::max<int64_t>(1, perCTA[d] / sizePerThread[d]);
    int64_t lanesHere = std::min(lanes, room);
    int64_t warpsHere = std::min(warps, room / lanesHere);
    params.threadsPerWarp[d] = lanesHere;
    params.warpsPerCTA[d] = warpsHere;
    lanes /= lanesHere;
    warps /= warpsHere;
  }
  params.threadsPerWarp[order.back()] = lanes;
  params.warpsPerCTA[order.back()] = warps;
  return params;
}

CgaBases tessera::defaultCga(ArrayRef<int64_t> shape, ArrayRef<unsigned> sizePerThread,
                             ArrayRef<unsigned> order, unsigned numCTAs) {
  unsigned rank = shape.size();
  SmallVector<unsigned> split(rank, 1);
  unsigned rest = numCTAs;
  for (unsigned d : llvm::reverse(order)) {
    split[d] = std::min<int64_t>(rest, std::max<int64_t>(1, shape[d] / sizePerThread[d]));
    rest /= split[d];
  }
  SmallVector<unsigned> ctas = split;
  ctas[rank - 1] *= rest; // the remaining CTAs hold copies
  return cgaFromSplit(ctas, split, order);
}

BlockedParams tessera::defaultBlocked(ArrayRef<int64_t> shape, ThreadCounts threads,
                                      unsigned numCTAs) {
  SmallVector<unsigned> ones(shape.size(), 1);
  SmallVector<unsigned> order = minorLast(shape.size());
  return blockedForShape(shape, ones, order, threads, defaultCga(shape, ones, order, numCTAs));
}

SmallVector<unsigned> tessera::orderByContiguity(ArrayRef<int64_t> contiguity) {
  SmallVector<unsigned> order = minorLast(contiguity.size());
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(contiguity[a], a) > std::pair(contiguity[b], b);
  });
  return order;
}

/// Moves warps from the fastest dimension to slower ones, if these have enough elements: a thread
/// then has several elements of a row, whose addresses differ by constants.
static void moveWarpsToRows(BlockedParams &params, ArrayRef<int64_t> shape) {
  unsigned &fastest = params.warpsPerCTA[params.order[0]];
  for (unsigned d : ArrayRef(params.order).drop_front())
    while (fastest > 1 && int64_t(params.threadsPerWarp[d]) * params.warpsPerCTA[d] < shape[d]) {
      params.warpsPerCTA[d] *= 2;
      fastest /= 2;
    }
}

BlockedParams tessera::coalescedBlocked(ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                                        unsigned perThread, ThreadCounts threads,
                                        const CgaBases &cga) {
  int64_t elements = 1;
  for (int64_t size : shapePerCTA(shape, cga))
    elements *= size;
  int64_t numThreads = int64_t(threads.numWarps) * threads.threadsPerWarp;
  int64_t share = std::max<int64_t>(1, elements / numThreads);
  SmallVector<unsigned> sizePerThread(shape.size(), 1);
  sizePerThread[order[0]] = std::min<int64_t>(perThread, share);
  BlockedParams params = blockedForShape(shape, sizePerThread, order, threads, cga);
  if (perThread == 1 && share > 1)
    moveWarpsToRows(params, shapePerCTA(shape, cga));
  return params;
}

BlockedParams tessera::scatteredBlocked(ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                                        ThreadCounts threads, const CgaBases &cga) {
  SmallVector<unsigned> ones(shape.size(), 1);
  BlockedParams params = blockedForShape(
      shape, ones, order, {.numWarps = 1, .threadsPerWarp = threads.threadsPerWarp}, cga);
  SmallVector<int64_t> perThread = shapePerCTA(shape, cga);
  for (auto [size, lanes] : llvm::zip_equal(perThread, params.threadsPerWarp))
    size /= lanes;
  unsigned warps = threads.numWarps;
  for (; warps > 1; warps /= 2) {
    unsigned most = order.back();
    for (unsigned d : llvm::reverse(order))
      if (perThread[d] > perThread[most])
        most = d;
    if (perThread[most] <= 1)
      break;
    params.warpsPerCTA[most] *= 2;
    perThread[most] /= 2;
  }
  params.warpsPerCTA[order.back()] *= warps; // the remaining warps hold copies
  if (params.threadsPerWarp[order.back()] == 1)
    params.sizePerThread[order.back()] = std::max<int64_t>(1, perThread[order.back()]);
  return params;
}
