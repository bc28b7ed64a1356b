//===- GatherPlanTest.cpp - gathers and groups on tables ------------------===//
// Every plan against brute force over random layouts.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/GatherPlan.h"
#include "PrintLayout.h"
#include "RandomLayout.h"
#include "tessera/TTGIR/Layout/PackedGroups.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace tessera;
using namespace tessera::test;
using llvm::SmallVector;

namespace {
/// Every bit of an index moved by one bit of register, lane or warp, in any order.
LinearLayout randomTensorLayout(Random &random, llvm::ArrayRef<DimBits> outs) {
  SmallVector<uint64_t> columns;
  unsigned total = 0;
  for (const DimBits &out : outs)
    total += out.bits;
  for (unsigned bit = 0; bit < total; ++bit)
    columns.push_back(uint64_t(1) << bit);
  for (unsigned replicas = below(random, 3); replicas > 0; --replicas)
    columns.push_back(0);
  std::shuffle(columns.begin(), columns.end(), random);
  unsigned warps = below(random, columns.size() + 1);
  unsigned lanes = below(random, columns.size() - warps + 1);
  unsigned registers = columns.size() - warps - lanes;
  return LinearLayout::fromMatrix(
      F2Matrix::fromColumns(columns, total),
      {DimBits{Dim::reg(), registers}, DimBits{Dim::lane(), lanes}, DimBits{Dim::warp(), warps}},
      outs);
}

uint64_t rowMajor(llvm::ArrayRef<DimBits> outs, const Point &point) {
  uint64_t index = 0;
  for (const DimBits &out : outs)
    index = index << out.bits | at(point, out.dim);
  return index;
}
} // namespace

TEST(GatherPlanTest, FindsEveryElement) {
  Random random(3);
  unsigned withinWarp = 0;
  for (unsigned round = 0; round < 500 && !testing::Test::HasFailure(); ++round) {
    SmallVector<DimBits> sizes = {
        {Dim::axis(0), below(random, 3)}, {Dim::axis(1), below(random, 4)}, {Dim::axis(2), 1}};
    unsigned axis = below(random, 3);
    SmallVector<DimBits> resultSizes = sizes;
    resultSizes[axis].bits = below(random, 4);
    LinearLayout source = randomTensorLayout(random, sizes);
    LinearLayout result = randomTensorLayout(random, resultSizes);
    std::optional<GatherPlan> plan = planGather(source, result, axis);
    ASSERT_TRUE(plan);
    std::map<uint64_t, std::pair<uint64_t, uint64_t>> memory; // offset: element, warp
    for (const Point &place : allPoints(source.ins())) {
      uint64_t offset = plan->stores.apply(place, Dim::offset());
      uint64_t element = rowMajor(sizes, source.apply(place));
      ASSERT_LT(offset, plan->size);
      auto [cell, isNew] = memory.insert({offset, {element, at(place, Dim::warp())}});
      ASSERT_TRUE(isNew || cell->second.first == element) << "two elements in one place";
      if (plan->withinWarp)
        ASSERT_EQ(cell->second.second, at(place, Dim::warp())) << "two warps share a byte";
    }
    withinWarp += plan->withinWarp;
    for (const Point &place : allPoints(result.ins()))
      for (uint64_t index = 0; index < plan->extent; ++index) {
        Point wanted = result.apply(place);
        for (DimIndex &coordinate : wanted)
          if (coordinate.dim == Dim::axis(axis))
            coordinate.index = index;
        uint64_t row = plan->rows.apply(place, Dim::offset());
        ASSERT_EQ(row & index * plan->stride, 0u) << "an or would not be a sum";
        auto found = memory.find(row | index * plan->stride);
        ASSERT_NE(found, memory.end());
        ASSERT_EQ(found->second.first, rowMajor(sizes, wanted));
        if (plan->withinWarp)
          ASSERT_EQ(found->second.second, at(place, Dim::warp()));
      }
  }
  EXPECT_GT(withinWarp, 20u);
}

/// An element's bits, the named ones below the others.
static std::pair<uint64_t, uint64_t> splitBits(const Point &element,
                                               llvm::ArrayRef<TensorBit> bits) {
  uint64_t group = 0, within = 0;
  for (auto [index, bit] : llvm::enumerate(bits))
    within |= (at(element, Dim::axis(bit.axis)) >> bit.bit & 1) << index;
  for (const DimIndex &coordinate : element) {
    uint64_t rest = coordinate.index;
    for (TensorBit bit : bits)
      if (Dim::axis(bit.axis) == coordinate.dim)
        rest &= ~(uint64_t(1) << bit.bit);
    group = group << 16 | rest;
  }
  return {group, within};
}

TEST(PackedGroupsTest, GroupsOfNamedBits) {
  Random random(5);
  unsigned found = 0;
  for (unsigned round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    SmallVector<DimBits> sizes = {{Dim::axis(0), below(random, 3) + 1},
                                  {Dim::axis(1), below(random, 3) + 1}};
    LinearLayout layout = randomTensorLayout(random, sizes);
    SmallVector<TensorBit> bits;
    for (unsigned i = 0; i < 2; ++i) {
      unsigned axis = below(random, 2);
      TensorBit bit{axis, below(random, sizes[axis].bits)};
      if (!llvm::is_contained(bits, bit))
        bits.push_back(bit);
    }
    std::optional<PackedGroups> packed = packRegisters(layout, bits);
    // Brute force: does each thread that has an element have the others of its group?
    std::map<uint64_t, std::set<std::pair<uint64_t, uint64_t>>> holds; // thread: group, place
    for (const Point &place : allPoints(layout.ins()))
      holds[at(place, Dim::lane()) << 32 | at(place, Dim::warp())].insert(
          splitBits(layout.apply(place), bits));
    bool possible = true;
    for (const auto &[thread, elements] : holds)
      for (auto [group, place] : elements)
        for (uint64_t i = 0; i < uint64_t(1) << bits.size(); ++i)
          possible &= elements.count({group, i}) == 1;
    ASSERT_EQ(packed.has_value(), possible) << layout.str();
    if (!packed)
      continue;
    ++found;
    for (const auto &group : packed->groups)
      for (unsigned i = 0; i < group.size(); ++i)
        ASSERT_EQ(splitBits(layout.apply({{Dim::reg(), group[i]}}), bits).second, i);
  }
  EXPECT_GT(found, 50u);
}

TEST(PackedGroupsTest, GroupsAreConsecutive) {
  Random random(4);
  unsigned found = 0;
  for (unsigned round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
    SmallVector<DimBits> sizes = {{Dim::axis(0), below(random, 3)},
                                  {Dim::axis(1), below(random, 3)}};
    LinearLayout layout = randomTensorLayout(random, sizes);
    unsigned size = 1u << below(random, 4);
    unsigned total = 1u << layout.totalOutBits();
    std::optional<PackedGroups> packed = packRegisters(layout, size);
    // Brute force: does the thread that has the first element of a group have the rest?
    bool possible = true;
    std::map<uint64_t, std::set<uint64_t>> holds; // thread: elements
    for (const Point &place : allPoints(layout.ins()))
      holds[at(place, Dim::lane()) << 32 | at(place, Dim::warp())].insert(
          rowMajor(sizes, layout.apply(place)));
    unsigned length = std::min(size, total);
    for (const auto &[thread, elements] : holds)
      for (uint64_t element : elements)
        for (unsigned i = 0; i < length; ++i)
          possible &= elements.count(element / length * length + i) == 1;
    ASSERT_EQ(packed.has_value(), possible) << layout.str() << "groups of " << size;
    if (!packed)
      continue;
    ++found;
    for (const auto &group : packed->groups) {
      ASSERT_EQ(group.size(), length);
      for (unsigned i = 0; i < length; ++i)
        ASSERT_EQ(rowMajor(sizes, layout.apply({{Dim::reg(), group[i]}})) % length, i);
    }
    for (unsigned reg = 0; reg < packed->holder.size(); ++reg)
      ASSERT_EQ(layout.apply({{Dim::reg(), reg}}),
                layout.apply({{Dim::reg(), packed->holder[reg]}}));
  }
  EXPECT_GT(found, 300u);
}
