//===- SharedChoice.cpp - choose the shared memory layout of a buffer -----===//
// See SharedChoice.h. Candidates: vec, maxPhase and perPhase are powers of two. Rows that share a
// line (BankModel) do not conflict, so perPhase starts at their number; readers whose lanes are
// several rows apart need a larger one.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"

using namespace tessera;

/// An instruction costs its issue slot besides the memory's time, which matters if lanes move few
/// bytes each.
static unsigned weigh(const SharedAccessCost &cost) {
  return 4 * cost.wavefronts + cost.instructions;
}

/// Returns the cost of the widest accesses without bank conflicts.
static unsigned leastCost(const SharedBufferUse &use) {
  unsigned total = 0;
  for (const std::vector<LinearLayout> *layouts : {&use.writers, &use.readers})
    for (const LinearLayout &layout : *layouts) {
      unsigned bytes = (use.elementBits / 8) << layout.inBits(Dim::reg());
      unsigned inWarp = bytes << use.machine.banks.laneBits;
      total += weigh({std::max(1u, inWarp / use.machine.banks.lineBytes()),
                      std::max(1u, 8 * bytes / use.machine.maxVectorBits)});
    }
  return total;
}

std::optional<unsigned> tessera::costOfSwizzle(const SharedBufferUse &use,
                                               const SwizzledSharedParams &params) {
  return costOfBuffer(use, swizzledSharedLayout(use.shape, params));
}

std::optional<unsigned> tessera::costOfBuffer(const SharedBufferUse &use,
                                              const LinearLayout &buffer) {
  unsigned total = 0;
  auto add = [&](llvm::ArrayRef<LinearLayout> layouts, MatrixMoves matrix, bool isLoad) {
    SharedInstructions instructions{.maxVectorBits = use.machine.maxVectorBits,
                                    .matrix = matrix,
                                    .banks = use.machine.banks,
                                    .isLoad = isLoad};
    for (const LinearLayout &layout : layouts) {
      std::optional<LinearLayout> offsets = offsetsInBuffer(layout, buffer);
      if (!offsets)
        return false;
      total += weigh(costOfSharedAccess(*offsets, use.elementBits, instructions));
    }
    return true;
  };
  MatrixMoves stores = use.matrixStores ? MatrixMoves::Rows : MatrixMoves::None;
  if (!add(use.writers, stores, false) || !add(use.readers, use.matrixLoads, true))
    return std::nullopt;
  return total;
}

SwizzledSharedParams tessera::chooseSwizzle(const SharedBufferUse &use) {
  SwizzledSharedParams best{1, 1, 1, use.order, use.cga};
  if (use.shape.size() < 2)
    return best;
  llvm::SmallVector<int64_t> perCTA = shapePerCTA(use.shape, use.cga);
  unsigned columns = perCTA[use.order[0]], rows = perCTA[use.order[1]];
  unsigned line = use.machine.banks.lineElements(use.elementBits);
  unsigned perLine = std::max(1u, line / columns);

  std::optional<unsigned> bestCost = costOfSwizzle(use, best);
  unsigned least = leastCost(use);
  for (unsigned perPhase = perLine; perPhase <= 4 * perLine; perPhase *= 2)
    for (unsigned maxPhase = 2; maxPhase <= use.machine.banks.banks && maxPhase * perPhase <= rows;
         maxPhase *= 2)
      for (unsigned vec = std::min(columns, line) / maxPhase; vec >= use.minVector && vec > 0;
           vec /= 2) {
        if (bestCost && *bestCost <= least)
          return best;
        SwizzledSharedParams params{vec, perPhase, maxPhase, use.order, use.cga};
        std::optional<unsigned> cost = costOfSwizzle(use, params);
        if (cost && (!bestCost || *cost < *bestCost)) {
          best = params;
          bestCost = cost;
        }
      }
  return best;
}
