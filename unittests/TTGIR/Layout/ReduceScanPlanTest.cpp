//===- ReduceScanPlanTest.cpp - reductions and scans on tables ------------===//
// Random layouts of the kind that tensors have: every bit of an index is moved by one
// bit of register, lane or warp, in any order, with replicas between them. Each plan is
// executed and every thread's result compared with what it should hold.
//===----------------------------------------------------------------------===//
#include "PrintLayout.h"
#include "RandomLayout.h"
#include "TableMachine.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"

using namespace tessera;
using namespace tessera::test;
using llvm::SmallVector;

namespace {
/// A tensor layout of up to 9 element bits in up to 3 dimensions.
LinearLayout randomTensorLayout(Random &random) {
  unsigned rank = 1 + below(random, 3);
  SmallVector<DimBits> outs;
  unsigned total = 0;
  for (unsigned d = 0; d < rank; ++d) {
    outs.push_back({Dim::axis(d), below(random, 5)});
    total += outs.back().bits;
  }
  SmallVector<uint64_t> columns;
  for (unsigned bit = 0; bit < total; ++bit)
    columns.push_back(uint64_t(1) << bit);
  for (unsigned replicas = below(random, 4); replicas > 0; --replicas)
    columns.push_back(0);
  // Half of them in order, as named layouts mostly have them.
  if (below(random, 2))
    std::shuffle(columns.begin(), columns.end(), random);
  unsigned registers = below(random, std::min<size_t>(columns.size(), 5) + 1);
  unsigned rest = columns.size() - registers;
  unsigned warps = std::min(below(random, 6), rest);
  unsigned lanes = std::min(5u, rest - warps);
  registers = columns.size() - lanes - warps;
  SmallVector<DimBits> ins = {{Dim::reg(), registers}, {Dim::lane(), lanes}, {Dim::warp(), warps}};
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, total), ins, outs);
}

Point place(const LinearLayout &layout, unsigned reg, unsigned thread) {
  uint64_t lanes = layout.inSize(Dim::lane());
  return layout.apply(
      {{Dim::reg(), reg}, {Dim::lane(), thread % lanes}, {Dim::warp(), thread / lanes}});
}

uint64_t flat(const LinearLayout &layout, const Point &point) {
  uint64_t index = 0;
  for (const DimBits &d : layout.outs())
    index = index << d.bits | at(point, d.dim);
  return index;
}

SmallVector<TableMachine::Value> tensor(const LinearLayout &layout) {
  unsigned threads = layout.inSize(Dim::lane()) * layout.inSize(Dim::warp());
  SmallVector<TableMachine::Value> values;
  for (unsigned reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
    values.emplace_back();
    for (unsigned t = 0; t < threads; ++t)
      values.back().push_back({static_cast<int>(flat(layout, place(layout, reg, t)))});
  }
  return values;
}

/// The elements of the row of `point`, from index `first` to `last` along the axis.
TableMachine::Elements row(const LinearLayout &layout, Point point, unsigned axis, int first,
                           int last) {
  TableMachine::Elements elements;
  for (int i = first;; i += first <= last ? 1 : -1) {
    for (DimIndex &index : point)
      if (index.dim == Dim::axis(axis))
        index.index = i;
    elements.push_back(flat(layout, point));
    if (i == last)
      return elements;
  }
}

void checkReduce(const LinearLayout &layout, unsigned axis, Commutes commutes,
                 bool combinesWaves = false) {
  std::optional<ReducePlan> plan = planReduce(layout, axis, commutes);
  ASSERT_TRUE(plan) << layout.str();
  TableMachine machine(layout.inBits(Dim::lane()), layout.inBits(Dim::warp()),
                       plan->exchange ? plan->exchange->size : 0);
  machine.combinesWaves = combinesWaves;
  auto values = ReduceSteps<TableMachine>(machine, *plan, tensor(layout)).run();
  EXPECT_LE(machine.epoch, 1);
  int last = layout.outSize(Dim::axis(axis)) - 1;
  unsigned threads = layout.inSize(Dim::lane()) * layout.inSize(Dim::warp());
  std::map<TableMachine::Elements, TableMachine::Elements> firstOfRow;
  for (unsigned reg = 0; reg < layout.inSize(Dim::reg()); ++reg) {
    if (layout.apply({{Dim::reg(), reg}}, Dim::axis(axis)) != 0 ||
        (reg & plan->bits.replicatedRegisters))
      continue;
    for (unsigned t = 0; t < threads; ++t) {
      TableMachine::Elements actual = values[reg][t];
      if (commutes == Commutes::InMeaning) {
        // Everybody has what the first thread of the row has, in the same order.
        auto known = firstOfRow.insert({row(layout, place(layout, reg, t), axis, 0, last), actual});
        ASSERT_EQ(actual, known.first->second) << layout.str();
      }
      if (commutes != Commutes::No)
        llvm::sort(actual);
      ASSERT_EQ(actual, row(layout, place(layout, reg, t), axis, 0, last))
          << layout.str() << "axis " << axis << " register " << reg << " thread " << t;
    }
  }
}

void checkScan(const LinearLayout &layout, unsigned axis, bool reverse) {
  std::optional<ScanPlan> plan = planScan(layout, axis, reverse);
  ASSERT_TRUE(plan) << layout.str();
  TableMachine machine(layout.inBits(Dim::lane()), layout.inBits(Dim::warp()), plan->size);
  auto values = ScanSteps<TableMachine>(machine, *plan, tensor(layout)).run();
  int last = layout.outSize(Dim::axis(axis)) - 1;
  unsigned threads = layout.inSize(Dim::lane()) * layout.inSize(Dim::warp());
  for (unsigned reg = 0; reg < layout.inSize(Dim::reg()); ++reg)
    for (unsigned t = 0; t < threads; ++t) {
      Point point = place(layout, reg, t);
      int index = at(point, Dim::axis(axis));
      ASSERT_EQ(values[reg][t], row(layout, point, axis, reverse ? last : 0, index))
          << layout.str() << "axis " << axis << (reverse ? " reverse" : "") << " register " << reg
          << " thread " << t;
    }
}
} // namespace

TEST(ReducePlanTest, EveryThreadHasItsRow) {
  Random random(1);
  for (unsigned i = 0; i < 1000 && !testing::Test::HasFailure(); ++i) {
    LinearLayout layout = randomTensorLayout(random);
    for (unsigned axis = 0; axis < layout.outs().size(); ++axis) {
      for (Commutes commutes : {Commutes::Exactly, Commutes::InMeaning, Commutes::No})
        for (bool combinesWaves : {false, true})
          checkReduce(layout, axis, commutes, combinesWaves);
    }
  }
}

TEST(ScanPlanTest, EveryElementHasAllBefore) {
  Random random(2);
  for (unsigned i = 0; i < 600 && !testing::Test::HasFailure(); ++i) {
    LinearLayout layout = randomTensorLayout(random);
    for (unsigned axis = 0; axis < layout.outs().size(); ++axis) {
      checkScan(layout, axis, /*reverse=*/false);
      checkScan(layout, axis, /*reverse=*/true);
    }
  }
}

/// A row of 1024 in 8 registers of 4 warps: what the lowering will emit.
static LinearLayout rowOf1024() {
  return LinearLayout::identity(8, Dim::reg(), Dim::axis(0)) *
         LinearLayout::identity(32, Dim::lane(), Dim::axis(0)) *
         LinearLayout::identity(4, Dim::warp(), Dim::axis(0));
}

TEST(ReducePlanTest, NoMoreThanNeeded) {
  LinearLayout layout = rowOf1024();
  ReducePlan plan = *planReduce(layout, 0, Commutes::Exactly);
  EXPECT_EQ(plan.exchange->size, 4u);
  EXPECT_EQ(plan.exchange->slots, 4u);
  EXPECT_EQ(plan.exchange->writers.mask, 31u);
  EXPECT_TRUE(plan.stepsAfter.empty());
  TableMachine machine(5, 2, 4);
  ReduceSteps<TableMachine>(machine, plan, tensor(layout)).run();
  EXPECT_EQ(machine.shuffles, 5u);
  EXPECT_EQ(machine.combinations, 7u + 5u + 3u);
  EXPECT_EQ(machine.epoch, 1);
}

TEST(ReducePlanTest, ManyWarpsShareTheReading) {
  LinearLayout layout = LinearLayout::identity(2, Dim::reg(), Dim::axis(0)) *
                        LinearLayout::identity(32, Dim::lane(), Dim::axis(0)) *
                        LinearLayout::identity(32, Dim::warp(), Dim::axis(0));
  ReducePlan plan = *planReduce(layout, 0, Commutes::Exactly);
  EXPECT_EQ(plan.exchange->slots, 4u);
  EXPECT_EQ(plan.stepsAfter.size(), 3u);
}

TEST(ReducePlanTest, LanesShareRows) {
  // 8 rows of 32: the lanes of a warp hold one element of each.
  LinearLayout layout = LinearLayout::identity(8, Dim::reg(), Dim::axis(0)) *
                        LinearLayout::identity(32, Dim::lane(), Dim::axis(1)) *
                        LinearLayout::identity(1, Dim::warp(), Dim::axis(0));
  ReducePlan plan = *planReduce(layout, 1, Commutes::Exactly);
  TableMachine machine(5, 0, 0);
  ReduceSteps<TableMachine>(machine, plan, tensor(layout)).run();
  EXPECT_EQ(machine.shuffles, 4u + 2 + 1 + 1 + 1 + 1 + 2 + 4);
  // Keeping the order, each row has a shuffle of its own for each step.
  EXPECT_TRUE(planReduce(layout, 1, Commutes::No)->folds.empty());
  EXPECT_TRUE(planReduce(layout, 1, Commutes::Exactly, /*wholeWarps=*/true)->folds.empty());
  // Two rows over four lanes are not worth it: attention's case.
  LinearLayout few = LinearLayout::identity(2, Dim::reg(), Dim::axis(0)) *
                     LinearLayout::identity(4, Dim::lane(), Dim::axis(1));
  EXPECT_TRUE(planReduce(few, 1, Commutes::Exactly)->folds.empty());
}

TEST(ScanPlanTest, CarriesAreAddedOnce) {
  LinearLayout layout = rowOf1024();
  ScanPlan plan = *planScan(layout, 0, false);
  TableMachine machine(5, 2, plan.size);
  ScanSteps<TableMachine>(machine, plan, tensor(layout)).run();
  EXPECT_EQ(machine.shuffles, 6u);
  EXPECT_EQ(machine.epoch, 1);
  // Chunk, lanes, warps' totals and the carry they make, elements.
  EXPECT_EQ(machine.combinations, 7u + 5u + 2u + 1u + 8u);
}

TEST(ReducePlanTest, DeclinesWhatMixesDimensions) {
  auto both =
      LinearLayout::fromBases({DimBases{Dim::reg(), {{1, 1}}}, DimBases{Dim::lane(), {{0, 1}}}},
                              {Dim::axis(0), Dim::axis(1)});
  EXPECT_FALSE(planReduce(*both, 0, Commutes::No));
  EXPECT_FALSE(planScan(*both, 1, false));
  auto blocks = LinearLayout::fromBases(
      {DimBases{Dim::reg(), {{1}}}, DimBases{Dim::block(), {{2}}}}, {Dim::axis(0)});
  EXPECT_TRUE(splitsAxisBetweenBlocks(*blocks, 0));
  EXPECT_FALSE(planReduce(*blocks, 0, Commutes::No));
}
