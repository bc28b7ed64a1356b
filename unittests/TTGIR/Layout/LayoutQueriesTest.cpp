//===- LayoutQueriesTest.cpp - vector widths, owners, conversions ---------===//
#include "PrintLayout.h"
#include "RandomLayout.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "gtest/gtest.h"
#include <map>

using namespace tessera;
using namespace tessera::test;
using llvm::SmallVector;

static const Dim reg = Dim::reg();

/// A random layout of a tensor: all four inputs in order, surjective or not.
static LinearLayout randomTensorLayout(Random &random, unsigned rank) {
  SmallVector<DimBits> ins, outs;
  for (Dim dim : hardwareDims())
    ins.push_back({dim, below(random, 4)});
  for (unsigned d = 0; d < rank; ++d)
    outs.push_back({Dim::axis(d), below(random, 5)});
  return randomLayout(random, ins, outs);
}

TEST(VectorWidth, VectorsAreConsecutiveAlignedAndMaximal) {
  Random random(1);
  std::map<unsigned, unsigned> seen;
  for (int round = 0; round < 500; ++round) {
    LinearLayout layout = randomTensorLayout(random, 2);
    for (unsigned dim : {0, 1}) {
      VectorAccess access = vectorAlong(layout, dim, 8);
      ++seen[access.width];
      ASSERT_EQ(uint64_t(1) << access.registerBits.size(), access.width);
      uint64_t taken = 0;
      for (unsigned bit : access.registerBits)
        taken |= uint64_t(1) << bit;
      for (Point point : allPoints(layout.ins())) {
        if (at(point, reg) & taken)
          continue;
        Point first = layout.apply(point);
        EXPECT_EQ(at(first, Dim::axis(dim)) % access.width, 0u);
        for (unsigned i = 0; i < access.width; ++i) {
          Point next = point;
          for (unsigned b = 0; b < access.registerBits.size(); ++b)
            for (DimIndex &index : next)
              if (index.dim == reg)
                index.index |= uint64_t(i >> b & 1) << access.registerBits[b];
          for (unsigned d : {0, 1})
            EXPECT_EQ(layout.apply(next, Dim::axis(d)),
                      at(first, Dim::axis(d)) + (d == dim ? i : 0));
        }
      }
    }
  }
  EXPECT_GT(seen[1], 100u);
  EXPECT_GT(seen[2], 20u);
  EXPECT_GT(seen[4], 5u);
}

TEST(VectorWidth, WidestAccessRespectsEveryLimit) {
  BlockedParams params{
      .sizePerThread = {1, 8}, .threadsPerWarp = {4, 8}, .warpsPerCTA = {4, 1}, .order = {1, 0}};
  LinearLayout layout = blockedLayout({64, 64}, params);
  AccessFacts unknown, wide{.contiguity = 64, .divisibilityBytes = 16};
  auto width = [&](AccessFacts row, AccessFacts column, unsigned bits, unsigned maxBits = 128) {
    return widestAccess(layout, {row, column}, bits, maxBits).width;
  };
  EXPECT_EQ(width(unknown, wide, 16), 8u);
  EXPECT_EQ(width(unknown, wide, 32), 4u) << "128 bits";
  EXPECT_EQ(width(unknown, wide, 32, 64), 2u) << "a narrower machine";
  EXPECT_EQ(width(unknown, unknown, 16), 1u);
  EXPECT_EQ(width(wide, unknown, 16), 1u) << "a thread has one row only";
  EXPECT_EQ(width(unknown, {.contiguity = 64, .divisibilityBytes = 4}, 16), 2u) << "alignment";
  EXPECT_EQ(width(unknown, {.contiguity = 4, .divisibilityBytes = 16}, 16), 4u) << "runs";
  EXPECT_EQ(width(unknown, {64, 16, 2}, 16), 2u) << "mask";
  EXPECT_EQ(width(unknown, {.contiguity = 12, .divisibilityBytes = 48}, 16), 4u)
      << "powers of two within";
  EXPECT_EQ(width(unknown, {0, 0, 0}, 16), 1u) << "nonsense is harmless";
}

TEST(VectorWidth, RegisterOrderDoesNotMatter) {
  // The column bits are the last registers here; they still make a vector.
  LinearLayout layout = LinearLayout::identity(4, reg, Dim::axis(0)) *
                        LinearLayout::identity(4, reg, Dim::axis(1)) *
                        LinearLayout::identity(8, Dim::lane(), Dim::axis(1));
  VectorAccess access =
      widestAccess(layout, {AccessFacts(), {.contiguity = 32, .divisibilityBytes = 16}}, 32);
  EXPECT_EQ(access.dim, 1u);
  EXPECT_EQ(access.width, 4u);
  EXPECT_EQ(access.registerBits, (SmallVector<unsigned>{2, 3}));
}

TEST(VectorWidth, DerivedQueries) {
  BlockedParams params{
      .sizePerThread = {2, 4}, .threadsPerWarp = {8, 4}, .warpsPerCTA = {1, 2}, .order = {1, 0}};
  LinearLayout layout = blockedLayout({32, 32}, params);
  EXPECT_EQ(dimensionOrder(layout), (SmallVector<unsigned>{1, 0}));
  EXPECT_EQ(contiguousPerThread(layout), (SmallVector<unsigned>{2, 4}));
  EXPECT_EQ(lanesPerDim(layout), (SmallVector<unsigned>{8, 4}));
  EXPECT_EQ(warpsPerDim(layout), (SmallVector<unsigned>{1, 2}));
  EXPECT_EQ(elementsPerThread(layout), 16u);
  LinearLayout small = blockedLayout({8, 2}, params);
  EXPECT_EQ(warpsPerDim(small), (SmallVector<unsigned>{1, 1}));
  EXPECT_EQ(dimensionOrder(LinearLayout::identity(4, Dim::lane(), Dim::axis(0))),
            (SmallVector<unsigned>{0}));
}

TEST(Redundancy, ExactlyOneOwner) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    LinearLayout layout = randomTensorLayout(random, 2);
    OwnerMasks masks = ownerMasks(layout);
    std::map<std::vector<uint64_t>, unsigned> owners;
    for (const Point &point : allPoints(layout.ins())) {
      bool owns = (at(point, reg) & masks.registers) == 0 &&
                  (at(point, Dim::lane()) & masks.lanes) == 0 &&
                  (at(point, Dim::warp()) & masks.warps) == 0 &&
                  (at(point, Dim::block()) & masks.blocks) == 0;
      Point value = layout.apply(point);
      owners[{at(value, Dim::axis(0)), at(value, Dim::axis(1))}] += owns;
    }
    for (auto &[element, count] : owners)
      EXPECT_EQ(count, 1u) << layout.str();
    EXPECT_EQ(masks.isTrivial(), layout.isInjective());
  }
}

TEST(Redundancy, UniqueRegistersHoldTheSameElements) {
  Random random(3);
  unsigned dropped = 0;
  for (int round = 0; round < 300; ++round) {
    LinearLayout layout = randomTensorLayout(random, 2);
    UniqueRegisters unique = uniqueRegisters(layout);
    dropped += unique.kept.size() < layout.inSize(reg);
    ASSERT_EQ(unique.kept.size(), unique.layout.inSize(reg));
    ASSERT_EQ(unique.source.size(), layout.inSize(reg));
    EXPECT_TRUE(unique.layout.sublayout({reg}, layout.outDims()).isInjective());
    for (Point point : allPoints(layout.ins())) {
      Point fewer = point;
      for (DimIndex &i : fewer)
        if (i.dim == reg)
          i.index = unique.source[i.index];
      EXPECT_EQ(unique.layout.apply(fewer), layout.apply(point));
    }
    for (auto [now, old] : llvm::enumerate(unique.kept))
      EXPECT_EQ(unique.source[old], now);
  }
  EXPECT_GT(dropped, 50u);
}

TEST(Conversion, FetchesTheRightElementWithTheLeastReach) {
  Random random(4);
  std::map<ConversionReach, unsigned> seen;
  for (int round = 0; round < 1000; ++round) {
    LinearLayout src = randomTensorLayout(random, 2);
    LinearLayout dst = src;
    if (below(random, 2)) {
      // Shuffle bits that stay within a reach, so that each kind comes up.
      SmallVector<unsigned> bits;
      for (unsigned bit = 0; bit < src.inBits(reg); ++bit)
        bits.push_back(bit);
      std::shuffle(bits.begin(), bits.end(), random);
      dst = src.selectInBits(reg, bits);
    } else if (below(random, 2)) {
      dst = randomLayout(random, src.ins(), src.outs());
    }
    std::optional<Conversion> plan = planConversion(src, dst);
    if (!plan)
      continue;
    ++seen[plan->reach];
    for (const Point &point : allPoints(dst.ins())) {
      Point from = plan->map.apply(point);
      for (Dim dim : hardwareDims())
        if (!plan->map.hasOut(dim))
          from.push_back({dim, at(point, dim)}); // out of reach: from itself
      EXPECT_EQ(src.apply(from), dst.apply(point));
    }
    EXPECT_EQ(plan->reach >= ConversionReach::Lane, plan->map.hasOut(Dim::lane()));
    EXPECT_EQ(plan->reach >= ConversionReach::Warp, plan->map.hasOut(Dim::warp()));
  }
  for (ConversionReach reach : {ConversionReach::None, ConversionReach::Register,
                                ConversionReach::Lane, ConversionReach::Block})
    EXPECT_GT(seen[reach], 3u) << int(reach);
}

TEST(Conversion, KnownCases) {
  NvidiaMmaParams mma{
      .versionMajor = 3, .versionMinor = 0, .warpsPerCTA = {4, 1}, .instrShape = {16, 64, 32}};
  LinearLayout accumulator = nvidiaMmaLayout({64, 64}, mma);
  auto reach = [](const LinearLayout &a, const LinearLayout &b) {
    return planConversion(a, b)->reach;
  };
  EXPECT_EQ(reach(accumulator, dotOperandLayout({64, 64}, 0, 2, mma)), ConversionReach::None);
  EXPECT_EQ(reach(accumulator, dotOperandLayout({64, 64}, 0, 4, mma)), ConversionReach::Lane);
  BlockedParams rows{
      .sizePerThread = {1, 8}, .threadsPerWarp = {4, 8}, .warpsPerCTA = {4, 1}, .order = {1, 0}};
  EXPECT_EQ(reach(accumulator, blockedLayout({64, 64}, rows)), ConversionReach::Warp);
  EXPECT_FALSE(planConversion(LinearLayout::zeros(2, reg, Dim::axis(0), 2),
                              LinearLayout::identity(2, reg, Dim::axis(0))));
}
