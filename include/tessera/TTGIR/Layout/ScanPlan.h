//===- ScanPlan.h - plan a scan along one dimension ----------------------===//
// Positions along the axis are processed bit by bit, from the lowest. A group of bits of one level
// (registers, lanes in ascending order, warps) joins segments into longer ones:
//
//   register bits 0, 1 -> 1, 2   lane bits -> 4 ...   warp bit 0 -> 128   register bit 2 -> 256
//     chunk        a thread scans its 4 neighbours
//     lanes        scan the chunks' totals; the preceding lane's value is the carry
//     warps        the last lane stores its warp's total; barrier; the totals of the
//                  preceding warps are the carry
//     registers    the totals so far are the carry into the second half
//     at the end   carry (+) element, once for each element
//
// Every group needs the totals of the segments below it and produces those of the longer ones. The
// order of operands is that of the elements: the function need not commute and need have no neutral
// element; carries that do not exist are replaced by a select.
//
// A reverse scan is the same with every position complemented.
//
// `ScanSteps` is the algorithm; a machine executes it (see ReducePlan.h).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/AxisBits.h"
#include <map>

namespace tessera {

/// Bits of one level at adjacent positions, lowest first.
struct ScanGroup {
  Dim level;
  llvm::SmallVector<AxisBit, 5> bits;
  /// The mask of these bits in register or thread numbers.
  uint64_t mask = 0;
  /// The exchange, for warps.
  std::optional<ExchangePlan> exchange;
  /// The offset at which the exchange's elements begin.
  unsigned firstElement = 0;

  unsigned size() const { return 1u << bits.size(); }
};

struct ScanPlan {
  AxisBits bits;
  bool reverse = false;
  /// The registers that a thread scans on its own first; 0 if adjacent elements are in other
  /// threads.
  uint64_t chunkMask = 0;
  llvm::SmallVector<AxisBit, 8> chunkBits;
  llvm::SmallVector<ScanGroup, 4> groups;
  /// The total number of elements in shared memory.
  unsigned size = 0;
};

/// Returns nothing if classifyBits returns nothing.
std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis, bool reverse);

/// Executes a plan on one value per register and returns as many. In addition to ReduceSteps'
/// requirements, a machine has shuffleFrom(value, LaneSource), and store and load take the offset
/// at which a group's exchange begins.
template <typename Machine> class ScanSteps {
public:
  using Value = typename Machine::Value;
  ScanSteps(Machine &machine, const ScanPlan &plan, llvm::ArrayRef<Value> values)
      : machine(machine), plan(plan), values(values) {}

  llvm::SmallVector<Value> run() {
    scanChunks();
    for (size_t i = 0; i < plan.groups.size(); ++i) {
      const ScanGroup &group = plan.groups[i];
      bool isLast = i + 1 == plan.groups.size();
      if (group.level == Dim::reg())
        joinRegisters(group, isLast);
      else if (group.level == Dim::lane())
        joinLanes(group, isLast);
      else
        joinWarps(group, isLast);
    }
    addCarries();
    return std::move(values);
  }

private:
  /// The value that precedes a register's chunk. Threads of `absent` have none.
  struct Carry {
    Value value;
    ThreadTest absent;
    bool always = false;
  };

  /// Returns the bits of position `index` of a group, at their places; the first position in the
  /// direction of the scan has index 0.
  template <typename Place>
  uint64_t scatter(llvm::ArrayRef<AxisBit> bits, unsigned index, Place place) const {
    if (plan.reverse)
      index = (1u << bits.size()) - 1 - index;
    uint64_t result = 0;
    for (size_t i = 0; i < bits.size(); ++i)
      if (index >> i & 1)
        result |= place(bits[i]);
    return result;
  }
  static uint64_t inRegisters(const AxisBit &bit) { return uint64_t(1) << bit.bit; }
  uint64_t firstIn(uint64_t mask) const { return plan.reverse ? mask : 0; }
  uint64_t lastIn(uint64_t mask) const { return plan.reverse ? 0 : mask; }

  void scanChunks() {
    for (unsigned reg = 0; reg < plan.bits.numRegisters; ++reg) {
      if (reg & (plan.chunkMask | plan.bits.replicatedRegisters))
        continue;
      unsigned previous = 0;
      for (unsigned i = 0; i < 1u << plan.chunkBits.size(); ++i) {
        unsigned at = reg | scatter(plan.chunkBits, i, inRegisters);
        if (i > 0)
          values[at] = machine.combine(values[previous], values[at]);
        previous = at;
      }
      heads.push_back(reg);
      totals.insert({reg, values[previous]});
    }
  }

  /// Calls `function` for the heads that differ from `key` in register bits that groups have
  /// joined.
  template <typename Function> void forJoined(unsigned key, Function function) {
    for (unsigned head : heads)
      if ((head & ~joinedRegisters) == key)
        function(head);
  }

  /// Combines `prefix` from the left with the head's carry, except in threads of `absent`.
  void prepend(unsigned head, Value prefix, ThreadTest absent, bool always) {
    auto found = carries.find(head);
    if (found == carries.end()) {
      carries.insert({head, Carry{prefix, absent, always}});
      return;
    }
    Carry &carry = found->second;
    Value both = machine.combine(prefix, carry.value);
    if (!carry.always)
      both = machine.select(carry.absent, prefix, both);
    carry.value = always ? both : machine.select(absent, carry.value, both);
    carry.always |= always;
    carry.absent = {carry.absent.mask | absent.mask, carry.absent.value | absent.value};
  }

  /// Broadcasts totals, which only the last lanes hold, to all threads of their segments.
  void spreadTotals() {
    if (totalsIn != 0)
      for (auto &[key, total] : totals)
        total = machine.shuffleFrom(total, LaneSource{~totalsIn, lastIn(totalsIn)});
    totalsIn = 0;
  }

  void joinRegisters(const ScanGroup &group, bool isLast) {
    spreadTotals();
    std::map<unsigned, Value> longer;
    for (auto &[key, first] : totals) {
      if (key & group.mask)
        continue;
      unsigned previous = key | scatter(group.bits, 0, inRegisters);
      Value before = totals.at(previous);
      for (unsigned i = 1; i < group.size(); ++i) {
        unsigned segment = key | scatter(group.bits, i, inRegisters);
        forJoined(segment, [&](unsigned head) { prepend(head, before, {}, /*always=*/true); });
        if (i + 1 < group.size() || !isLast)
          before = machine.combine(before, totals.at(segment));
      }
      longer.insert({key, before});
    }
    totals = std::move(longer);
    joinedRegisters |= group.mask;
  }

  void joinLanes(const ScanGroup &group, bool isLast) {
    spreadTotals();
    ThreadTest absent{group.mask, firstIn(group.mask)};
    for (auto &[key, total] : totals) {
      Value running = total;
      uint64_t lower = 0;
      for (const AxisBit &bit : group.bits) {
        uint64_t mask = plan.bits.threadMask(bit);
        // The last lane of the preceding half.
        LaneSource source{~(mask | lower), firstIn(mask) | lastIn(lower)};
        Value before = machine.shuffleFrom(running, source);
        ThreadTest isFirstHalf{mask, firstIn(mask)};
        running = machine.select(isFirstHalf, running, machine.combine(before, running));
        lower |= mask;
      }
      Value before = machine.shuffleFrom(running, LaneSource{0, 0, group.mask, plan.reverse});
      forJoined(key, [&](unsigned head) { prepend(head, before, absent, /*always=*/false); });
      total = running;
    }
    totalsIn = isLast ? 0 : group.mask;
  }

  void joinWarps(const ScanGroup &group, bool isLast) {
    const ExchangePlan &exchange = *group.exchange;
    for (auto &[key, total] : totals)
      machine.store(exchange.stores, key, exchange.writers, total, group.firstElement);
    machine.barrier();
    totalsIn = 0;
    ThreadTest absent{group.mask, firstIn(group.mask)};
    auto inThreads = [&](const AxisBit &bit) { return plan.bits.threadMask(bit); };
    auto slotOf = [&](unsigned i) { return plan.reverse ? group.size() - 1 - i : i; };
    for (auto &[key, total] : totals) {
      llvm::SmallVector<Value> slots =
          machine.load(exchange.loads, key, exchange.slots, group.firstElement);
      Value before = slots[slotOf(0)], mine = before;
      for (unsigned i = 1; i < group.size(); ++i) {
        ThreadTest isMine{group.mask, scatter(group.bits, i, inThreads)};
        mine = i == 1 ? before : machine.select(isMine, before, mine);
        if (i + 1 < group.size() || !isLast)
          before = machine.combine(before, slots[slotOf(i)]);
      }
      forJoined(key, [&](unsigned head) { prepend(head, mine, absent, /*always=*/false); });
      total = before;
    }
  }

  void addCarries() {
    for (unsigned reg = 0; reg < plan.bits.numRegisters; ++reg) {
      if (reg & plan.bits.replicatedRegisters)
        continue;
      auto carry = carries.find(reg & ~plan.chunkMask);
      if (carry == carries.end())
        continue;
      Value both = machine.combine(carry->second.value, values[reg]);
      values[reg] =
          carry->second.always ? both : machine.select(carry->second.absent, values[reg], both);
    }
    for (unsigned reg = 0; reg < plan.bits.numRegisters; ++reg)
      values[reg] = values[reg & ~plan.bits.replicatedRegisters];
  }

  Machine &machine;
  const ScanPlan &plan;
  llvm::SmallVector<Value> values;
  /// The registers that begin a chunk.
  llvm::SmallVector<unsigned> heads;
  /// The totals of the segments joined so far, keyed by the head without joined register bits.
  std::map<unsigned, Value> totals;
  /// The lanes of which only the last has the totals.
  uint64_t totalsIn = 0;
  uint64_t joinedRegisters = 0;
  std::map<unsigned, Carry> carries;
};

} // namespace tessera
