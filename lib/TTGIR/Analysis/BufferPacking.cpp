//===- BufferPacking.cpp - give buffers their places ----------------------===//
#include "tessera/TTGIR/Analysis/BufferPacking.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::SmallVector;

/// Enough for a hundred buffers to converge; a try takes microseconds.
static constexpr unsigned kMaxTries = 64;

using Order = std::vector<unsigned>;

/// Returns the lowest offset that does not overlap the buffers that are already placed.
static uint64_t lowestPlace(ArrayRef<BufferToPack> buffers, unsigned index, const Packing &packing,
                            const BitVector &placed) {
  BitVector conflicts = buffers[index].conflicts;
  conflicts &= placed;
  SmallVector<std::pair<uint64_t, uint64_t>, 8> taken;
  for (unsigned other : conflicts.set_bits())
    taken.push_back({packing.offsets[other], packing.offsets[other] + buffers[other].bytes});
  llvm::sort(taken);
  uint64_t place = 0;
  for (auto [begin, end] : taken) {
    if (place + buffers[index].bytes <= begin)
      break;
    place = std::max(place, llvm::alignTo(end, buffers[index].alignment));
  }
  return place;
}

static Packing packInOrder(ArrayRef<BufferToPack> buffers, const Order &order) {
  Packing packing;
  packing.offsets.resize(buffers.size());
  BitVector placed(buffers.size());
  for (unsigned index : order) {
    packing.offsets[index] = lowestPlace(buffers, index, packing, placed);
    placed.set(index);
    packing.bytes = std::max(packing.bytes, packing.offsets[index] + buffers[index].bytes);
  }
  return packing;
}

Packing tessera::packBuffers(ArrayRef<BufferToPack> buffers, uint64_t bound) {
  Order order(buffers.size());
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  // Buffers with an alignment come first, where the alignment costs nothing; then large ones, which
  // are harder to place later.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tuple(buffers[b].alignment, buffers[b].bytes, a) <
           std::tuple(buffers[a].alignment, buffers[a].bytes, b);
  });
  Packing best = packInOrder(buffers, order);
  Packing last = best;
  for (unsigned tries = 0; tries < kMaxTries && best.bytes > bound; ++tries) {
    auto sticksOut = llvm::find_if(order, [&](unsigned index) {
      return last.offsets[index] + buffers[index].bytes == last.bytes;
    });
    // If it is already first, moving it changes nothing, so the rest is reordered.
    if (sticksOut == order.begin())
      std::rotate(order.begin(), order.begin() + 1 + tries % (order.size()), order.end());
    else
      std::rotate(order.begin() + (tries % (sticksOut - order.begin())), sticksOut, sticksOut + 1);
    last = packInOrder(buffers, order);
    if (last.bytes < best.bytes)
      best = last;
  }
  return best;
}
