//===- BufferPackingTest.cpp - random buffers, checked pair by pair -------===//
#include "tessera/TTGIR/Analysis/BufferPacking.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace tessera;

namespace {

/// Buffers that are in use from `begin` to `end`, as those of code without branches are.
struct Intervals {
  std::vector<std::pair<unsigned, unsigned>> live;
  std::vector<BufferToPack> buffers;
  uint64_t peak = 0;
};

Intervals randomIntervals(unsigned seed, unsigned count, unsigned maxAlignment) {
  std::mt19937 random(seed);
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  Intervals result;
  for (unsigned i = 0; i < count; ++i) {
    unsigned begin = below(3 * count), length = 1 + below(below(2) ? 4 : 2 * count);
    result.live.push_back({begin, begin + length});
    BufferToPack buffer;
    buffer.bytes = 16 * (1 + below(below(2) ? 4 : 64));
    buffer.alignment = below(4) ? 16 : maxAlignment;
    result.buffers.push_back(buffer);
  }
  for (unsigned i = 0; i < count; ++i) {
    result.buffers[i].conflicts.resize(count);
    for (unsigned j = 0; j < count; ++j)
      if (i != j && result.live[i].first < result.live[j].second &&
          result.live[j].first < result.live[i].second)
        result.buffers[i].conflicts.set(j);
  }
  for (unsigned time = 0; time < 6 * count; ++time) {
    uint64_t used = 0;
    for (unsigned i = 0; i < count; ++i)
      if (result.live[i].first <= time && time < result.live[i].second)
        used += result.buffers[i].bytes;
    result.peak = std::max(result.peak, used);
  }
  return result;
}

void expectValid(llvm::ArrayRef<BufferToPack> buffers, const Packing &packing) {
  uint64_t end = 0;
  for (unsigned i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % buffers[i].alignment, 0u);
    end = std::max(end, packing.offsets[i] + buffers[i].bytes);
    for (unsigned j : buffers[i].conflicts.set_bits())
      EXPECT_TRUE(packing.offsets[i] + buffers[i].bytes <= packing.offsets[j] ||
                  packing.offsets[j] + buffers[j].bytes <= packing.offsets[i])
          << i << " and " << j << " overlap";
  }
  EXPECT_EQ(packing.bytes, end);
}

/// The smallest total: some order of placing each at its lowest place gives it.
uint64_t smallest(llvm::ArrayRef<BufferToPack> buffers) {
  std::vector<unsigned> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  uint64_t best = ~uint64_t(0);
  do {
    std::vector<uint64_t> offsets(buffers.size());
    uint64_t bytes = 0;
    for (unsigned n = 0; n < order.size(); ++n) {
      unsigned i = order[n];
      auto isFree = [&](uint64_t place) {
        return std::all_of(order.begin(), order.begin() + n, [&](unsigned j) {
          return !buffers[i].conflicts[j] || place + buffers[i].bytes <= offsets[j] ||
                 offsets[j] + buffers[j].bytes <= place;
        });
      };
      while (!isFree(offsets[i]))
        offsets[i] += buffers[i].alignment;
      bytes = std::max(bytes, offsets[i] + buffers[i].bytes);
    }
    best = std::min(best, bytes);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

} // namespace

TEST(BufferPacking, NothingOverlapsAndLittleIsWasted) {
  uint64_t total = 0, peaks = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    Intervals random = randomIntervals(seed, 1 + seed % 60, 16);
    Packing packing = packBuffers(random.buffers, random.peak);
    expectValid(random.buffers, packing);
    EXPECT_LE(packing.bytes * 4, random.peak * 5) << "seed " << seed;
    total += packing.bytes;
    peaks += random.peak;
  }
  // 3 percent above the most that is in use at once, which not every set can reach.
  EXPECT_LE(total * 100, peaks * 103) << double(total) / peaks;
}

TEST(BufferPacking, AlignmentIsKept) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Intervals random = randomIntervals(seed, 1 + seed % 40, 1024);
    expectValid(random.buffers, packBuffers(random.buffers, random.peak));
  }
}

TEST(BufferPacking, SmallSetsArePackedBest) {
  unsigned best = 0, sets = 200;
  for (unsigned seed = 0; seed < sets; ++seed) {
    Intervals random = randomIntervals(seed, 1 + seed % 6, 128);
    best += packBuffers(random.buffers, random.peak).bytes == smallest(random.buffers);
  }
  EXPECT_GE(best * 100, sets * 98) << best << " of " << sets;
}

TEST(BufferPacking, NothingToPack) { EXPECT_EQ(packBuffers({}, 0).bytes, 0u); }
