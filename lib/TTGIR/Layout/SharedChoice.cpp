//===- SharedChoice.cpp - a good layout for a buffer ----------------------===//
// See SharedChoice.h. Candidates: vec and maxPhase are powers of two; perPhase is the
// number of rows in 128 bytes, since rows that share one use of the banks do not
// disturb each other and need no phases of their own.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"

using namespace tessera;

std::optional<unsigned> tessera::costOfSwizzle(const SharedBufferUse &use,
                                               const SwizzledSharedParams &params) {
  LinearLayout buffer = swizzledSharedLayout(use.shape, params);
  unsigned total = 0;
  auto add = [&](llvm::ArrayRef<LinearLayout> layouts, bool matrix) {
    for (const LinearLayout &layout : layouts) {
      std::optional<LinearLayout> offsets = offsetsInBuffer(layout, buffer);
      if (!offsets)
        return false;
      SharedAccessCost cost = costOfSharedAccess(*offsets, use.elementBits, {128, matrix});
      // An instruction costs its issue, too, which shows where lanes move few bytes.
      total += 4 * cost.wavefronts + cost.instructions;
    }
    return true;
  };
  if (!add(use.writers, use.matrixStores) || !add(use.readers, use.matrixLoads))
    return std::nullopt;
  return total;
}

SwizzledSharedParams tessera::chooseSwizzle(const SharedBufferUse &use) {
  SwizzledSharedParams best{1, 1, 1, use.order, use.cga};
  unsigned rank = use.shape.size();
  if (rank < 2)
    return best;
  llvm::SmallVector<int64_t> perCTA = shapePerCTA(use.shape, use.cga);
  unsigned columns = perCTA[use.order[0]], rows = perCTA[use.order[1]];
  unsigned perLine = std::max(1u, 1024 / (use.elementBits * columns));
  // 16 bytes is the widest access; a swizzle of longer vectors moves whole accesses.
  unsigned widest = std::min(columns, std::max(use.minVector, 128 / use.elementBits));

  std::optional<unsigned> bestCost = costOfSwizzle(use, best);
  for (unsigned maxPhase = 2; maxPhase <= 32 && maxPhase * perLine <= rows; maxPhase *= 2)
    for (unsigned vec = widest; vec >= use.minVector && vec > 0; vec /= 2) {
      if (vec * maxPhase > columns)
        continue;
      SwizzledSharedParams params{vec, perLine, maxPhase, use.order, use.cga};
      std::optional<unsigned> cost = costOfSwizzle(use, params);
      if (cost && (!bestCost || *cost < *bestCost)) {
        best = params;
        bestCost = cost;
      }
    }
  return best;
}
