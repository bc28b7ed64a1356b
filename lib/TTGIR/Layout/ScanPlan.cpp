//===- ScanPlan.cpp - plan a scan along one dimension --------------------===//
// See ScanPlan.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/ScanPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns whether `bit` continues the group: the same level, and lanes in ascending order, so that
/// the preceding lane is found by subtracting one.
static bool continues(const ScanGroup &group, const AxisBit &bit) {
  return group.level == bit.level && (bit.level != Dim::lane() || bit.bit > group.bits.back().bit);
}

static uint64_t maskOf(const AxisBits &bits, const AxisBit &bit) {
  return bit.level == Dim::reg() ? uint64_t(1) << bit.bit : bits.threadMask(bit);
}

static SmallVector<ScanGroup, 4> groupBits(const AxisBits &bits) {
  SmallVector<ScanGroup, 4> groups;
  for (const AxisBit &bit : bits.axis) {
    if (groups.empty() || !continues(groups.back(), bit))
      groups.push_back({bit.level, {}, 0, std::nullopt, 0});
    groups.back().bits.push_back(bit);
    groups.back().mask |= maskOf(bits, bit);
  }
  return groups;
}

/// Plans a slot per warp of the group, and a row of slots for each segment that the groups before
/// (`joined`) have not merged.
static ExchangePlan planExchange(const LinearLayout &layout, const ScanPlan &plan,
                                 const ScanGroup &group, ArrayRef<AxisBit> joined) {
  ExchangePlan exchange;
  SmallVector<OffsetBit> rows;
  unsigned position = group.bits.size();
  auto addRows = [&](ArrayRef<AxisBit> bits) {
    for (const AxisBit &bit : bits)
      if (!llvm::is_contained(joined, bit) && !llvm::is_contained(group.bits, bit))
        rows.push_back({bit, position++});
  };
  addRows(plan.bits.others);
  addRows(plan.bits.axis);
  exchange.size = 1u << position;
  exchange.slots = group.size();
  exchange.loads = offsetLayout(layout, rows, exchange.size);
  for (auto [slot, bit] : llvm::enumerate(group.bits))
    rows.push_back({bit, static_cast<unsigned>(slot)});
  exchange.stores = offsetLayout(layout, rows, exchange.size);
  exchange.writers.mask = plan.bits.replicatedThreads;
  for (const AxisBit &bit : joined) {
    exchange.writers.mask |= plan.bits.threadMask(bit);
    // The last element of each segment holds its total.
    exchange.writers.value |= plan.reverse ? 0 : plan.bits.threadMask(bit);
  }
  return exchange;
}

std::optional<ScanPlan> tessera::planScan(const LinearLayout &layout, unsigned axis, bool reverse) {
  std::optional<AxisBits> bits = classifyBits(layout, axis);
  if (!bits)
    return std::nullopt;
  ScanPlan plan;
  plan.bits = std::move(*bits);
  plan.reverse = reverse;
  SmallVector<ScanGroup, 4> groups = groupBits(plan.bits);
  SmallVector<AxisBit> joined;
  for (ScanGroup &group : groups) {
    if (joined.empty() && group.level == Dim::reg()) {
      plan.chunkMask = group.mask;
      plan.chunkBits = SmallVector<AxisBit, 8>(group.bits.begin(), group.bits.end());
    } else {
      if (group.level == Dim::warp()) {
        group.exchange = planExchange(layout, plan, group, joined);
        // The size is aligned for the widest loads.
        plan.size = llvm::alignTo(plan.size, 16);
        group.firstElement = plan.size;
        plan.size += group.exchange->size;
      }
      plan.groups.push_back(group);
    }
    llvm::append_range(joined, group.bits);
  }
  return plan;
}
