//===- ReducePlan.cpp - combining the elements along one dimension --------===//
// See ReducePlan.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Up to so many partial results a thread reads alone; more, and lanes share.
static constexpr unsigned kReadAlone = 8;
/// A lane that shares reads so many: 16 bytes of f32.
static constexpr unsigned kReadEach = 4;

/// The lanes that `steps` combine.
static uint64_t lanesOf(const AxisBits &bits, ArrayRef<AxisBit> steps) {
  uint64_t lanes = 0;
  for (const AxisBit &step : steps)
    lanes |= bits.threadMask(step);
  return lanes;
}

/// Registers, then lanes; the rest (warps) is left.
static SmallVector<AxisBit> splitByLevel(const AxisBits &bits, ReducePlan &plan) {
  SmallVector<AxisBit> left;
  for (Dim level : {Dim::reg(), Dim::lane()})
    llvm::copy_if(bits.axis, std::back_inserter(plan.steps),
                  [&](const AxisBit &bit) { return bit.level == level; });
  llvm::copy_if(bits.axis, std::back_inserter(left),
                [&](const AxisBit &bit) { return bit.level == Dim::warp(); });
  return left;
}

/// By position up to the first warp bit.
static SmallVector<AxisBit> splitByPosition(const AxisBits &bits, ReducePlan &plan) {
  auto isWarp = [](const AxisBit &bit) { return bit.level == Dim::warp(); };
  size_t count = llvm::find_if(bits.axis, isWarp) - bits.axis.begin();
  plan.steps.append(bits.axis.begin(), bits.axis.begin() + count);
  return SmallVector<AxisBit>(bits.axis.begin() + count, bits.axis.end());
}

/// Lanes that hold the same row, among whom reading can be shared.
static SmallVector<AxisBit> lanesOfOneRow(const AxisBits &bits, unsigned laneBits) {
  SmallVector<AxisBit> lanes;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if (llvm::none_of(bits.others, [&](const AxisBit &other) {
          return other.level == Dim::lane() && other.bit == bit;
        }))
      lanes.push_back({Dim::lane(), bit, 0});
  return lanes;
}

static void planExchange(const LinearLayout &layout, ArrayRef<AxisBit> left, ReducePlan &plan) {
  const AxisBits &bits = plan.bits;
  ExchangePlan exchange;
  SmallVector<OffsetBit> rows, stored;
  for (const AxisBit &bit : bits.others)
    rows.push_back({bit, static_cast<unsigned>(left.size()) + bit.position});
  for (auto [slot, bit] : llvm::enumerate(left))
    stored.push_back({bit, static_cast<unsigned>(slot)});
  llvm::append_range(stored, rows);
  exchange.size = 1u << (left.size() + bits.others.size());
  exchange.stores = offsetLayout(layout, stored, exchange.size);
  // Who has been combined holds the same; who replicates, too.
  exchange.writers.mask = bits.replicatedThreads | lanesOf(bits, plan.steps);

  SmallVector<OffsetBit> loaded = rows;
  exchange.slots = 1u << left.size();
  if (exchange.slots > kReadAlone)
    for (AxisBit lane : lanesOfOneRow(bits, layout.inBits(Dim::lane()))) {
      if (exchange.slots == kReadEach)
        break;
      // The first lane takes the highest slots apart, so that the rest stay neighbours.
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
                                              Commutes commutes) {
  std::optional<AxisBits> bits = classifyBits(layout, axis);
  if (!bits)
    return std::nullopt;
  ReducePlan plan;
  plan.bits = std::move(*bits);
  SmallVector<AxisBit> left =
      commutes == Commutes::No ? splitByPosition(plan.bits, plan) : splitByLevel(plan.bits, plan);
  if (!left.empty())
    planExchange(layout, left, plan);
  // What goes through memory is read by all from one writer.
  if (commutes != Commutes::Exactly)
    plan.spread = lanesOf(plan.bits, plan.exchange ? plan.stepsAfter : plan.steps);
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
