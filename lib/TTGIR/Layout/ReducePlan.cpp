//===- ReducePlan.cpp - plan a reduction along one dimension -------------===//
// See ReducePlan.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns the lanes that `steps` combine.
static uint64_t lanesOf(const AxisBits &bits, ArrayRef<AxisBit> steps) {
  uint64_t lanes = 0;
  for (const AxisBit &step : steps)
    lanes |= bits.threadMask(step);
  return lanes;
}

/// Splits the steps into registers, then lanes; the rest (warps) is returned.
static SmallVector<AxisBit> splitByLevel(const AxisBits &bits, ReducePlan &plan) {
  SmallVector<AxisBit> left;
  for (const AxisBit &bit : bits.axis) {
    if (bit.level == Dim::reg())
      plan.steps.push_back(bit);
    else if (bit.level == Dim::lane())
      plan.lanes.push_back(bit);
    else
      left.push_back(bit);
  }
  return left;
}

/// Returns the cost of combining `rows` values over `lanes` lane bits if `folds` of them are
/// folded, in simple instructions.
static unsigned costOfFolds(unsigned rows, unsigned lanes, unsigned folds, bool isRead,
                            const ReduceCosts &costs) {
  unsigned cost = 0;
  for (unsigned i = 0; i < folds; ++i) {
    rows /= 2;
    cost += rows * (costs.shuffle + 2 * costs.select + costs.combine);
    if (!isRead) // returned
      cost += rows * (costs.shuffle + 2 * costs.select);
  }
  return cost + rows * (lanes - folds) * (costs.shuffle + costs.combine) +
         (isRead ? rows * costs.store : 0);
}

/// Distributes a thread's rows over lanes if that saves at least a fifth: returning them takes
/// additional time.
static void planFolds(ReducePlan &plan, bool isRead, const ReduceCosts &costs) {
  SmallVector<AxisBit> rows;
  llvm::copy_if(plan.bits.others, std::back_inserter(rows),
                [](const AxisBit &bit) { return bit.level == Dim::reg(); });
  unsigned numLanes = plan.lanes.size(), best = 0;
  auto cost = [&](unsigned folds) {
    return costOfFolds(1u << rows.size(), numLanes, folds, isRead, costs);
  };
  for (unsigned folds = 1; folds <= std::min<size_t>(rows.size(), numLanes); ++folds)
    if (cost(folds) < cost(best) && 5 * cost(folds) <= 4 * cost(0))
      best = folds;
  for (unsigned i = 0; i < best; ++i)
    plan.folds.push_back({plan.lanes[i], rows[i]});
  plan.lanes.erase(plan.lanes.begin(), plan.lanes.begin() + best);
}

/// Splits the steps by position, up to the first warp bit.
static SmallVector<AxisBit> splitByPosition(const AxisBits &bits, ReducePlan &plan) {
  auto isWarp = [](const AxisBit &bit) { return bit.level == Dim::warp(); };
  size_t count = llvm::find_if(bits.axis, isWarp) - bits.axis.begin();
  plan.steps.append(bits.axis.begin(), bits.axis.begin() + count);
  return SmallVector<AxisBit>(bits.axis.begin() + count, bits.axis.end());
}

/// Returns the lanes that hold the same row and can share the reading.
static SmallVector<AxisBit> lanesOfOneRow(const AxisBits &bits, unsigned laneBits) {
  SmallVector<AxisBit> lanes;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if (llvm::none_of(bits.others, [&](const AxisBit &other) {
          return other.level == Dim::lane() && other.bit == bit;
        }))
      lanes.push_back({Dim::lane(), bit, 0});
  return lanes;
}

static void planExchange(const LinearLayout &layout, ArrayRef<AxisBit> left, ReducePlan &plan,
                         const ReduceCosts &costs) {
  const AxisBits &bits = plan.bits;
  ExchangePlan exchange;
  SmallVector<OffsetBit> rows, stored;
  for (const AxisBit &bit : bits.others)
    rows.push_back({bit, static_cast<unsigned>(left.size()) + bit.position});
  for (auto [slot, bit] : llvm::enumerate(left))
    stored.push_back({bit, static_cast<unsigned>(slot)});
  for (OffsetBit row : rows) {
    for (const ReduceFold &fold : plan.folds)
      if (fold.row == row.bit)
        row.bit = fold.lane; // the lane that holds it now
    stored.push_back(row);
  }
  exchange.size = 1u << (left.size() + bits.others.size());
  exchange.stores = offsetLayout(layout, stored, exchange.size);
  // Threads that were combined, and replicas, hold the same values.
  exchange.writers.mask =
      bits.replicatedThreads | lanesOf(bits, plan.steps) | lanesOf(bits, plan.lanes);

  SmallVector<OffsetBit> loaded = rows;
  exchange.slots = 1u << left.size();
  if (exchange.slots > costs.readAlone)
    for (AxisBit lane : lanesOfOneRow(bits, layout.inBits(Dim::lane()))) {
      if (exchange.slots == costs.readEach)
        break;
      // The highest slots are distributed first, so that the rest stay adjacent.
      exchange.slots /= 2;
      lane.position = llvm::Log2_32(exchange.slots);
      loaded.push_back({lane, lane.position});
      plan.stepsAfter.push_back(lane);
    }
  exchange.loads = offsetLayout(layout, loaded, exchange.size);
  llvm::sort(plan.stepsAfter,
             [](const AxisBit &x, const AxisBit &y) { return x.position < y.position; });
  plan.exchange = std::move(exchange);
}

std::optional<ReducePlan> tessera::planReduce(const LinearLayout &layout, unsigned axis,
                                              Commutes commutes, bool wholeWarps,
                                              const ReduceCosts &costs) {
  std::optional<AxisBits> bits = classifyBits(layout, axis);
  if (!bits)
    return std::nullopt;
  ReducePlan plan;
  plan.bits = std::move(*bits);
  SmallVector<AxisBit> left =
      commutes == Commutes::No ? splitByPosition(plan.bits, plan) : splitByLevel(plan.bits, plan);
  if (!wholeWarps || plan.lanes.size() != plan.bits.laneBits)
    planFolds(plan, /*isRead=*/!left.empty(), costs);
  if (!left.empty())
    planExchange(layout, left, plan, costs);
  // Results that go through memory are read by all from one writer.
  if (commutes != Commutes::Exactly)
    plan.spread = plan.exchange ? lanesOf(plan.bits, plan.stepsAfter)
                                : lanesOf(plan.bits, plan.steps) | lanesOf(plan.bits, plan.lanes);
  return plan;
}

std::optional<SmallVector<unsigned>>
tessera::reducedRegisters(const LinearLayout &source, unsigned axis, const LinearLayout &result) {
  // Dimensions above the axis have moved down by one.
  auto rowOf = [&](Dim in, uint64_t index) {
    SmallVector<uint64_t> row;
    for (const DimIndex &coordinate : source.apply({{in, index}}))
      if (coordinate.dim != Dim::axis(axis))
        row.push_back(coordinate.index);
    return row;
  };
  auto resultRow = [&](Dim in, uint64_t index) {
    SmallVector<uint64_t> row;
    for (const DimIndex &coordinate : result.apply({{in, index}}))
      row.push_back(coordinate.index);
    return row;
  };
  for (Dim level : {Dim::lane(), Dim::warp(), Dim::block()})
    for (unsigned bit = 0; bit < std::max(source.inBits(level), result.inBits(level)); ++bit)
      if (source.inBits(level) != result.inBits(level) ||
          rowOf(level, uint64_t(1) << bit) != resultRow(level, uint64_t(1) << bit))
        return std::nullopt;

  std::map<SmallVector<uint64_t>, unsigned> holder;
  for (uint64_t reg = 0; reg < source.inSize(Dim::reg()); ++reg)
    if (source.apply({{Dim::reg(), reg}}, Dim::axis(axis)) == 0)
      holder.insert({rowOf(Dim::reg(), reg), static_cast<unsigned>(reg)});
  SmallVector<unsigned> registers;
  for (uint64_t reg = 0; reg < result.inSize(Dim::reg()); ++reg) {
    auto found = holder.find(resultRow(Dim::reg(), reg));
    if (found == holder.end())
      return std::nullopt;
    registers.push_back(found->second);
  }
  return registers;
}
