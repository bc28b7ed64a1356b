//===- ReducePlan.h - plan a reduction along one dimension ---------------===//
// The bits of the axis determine the plan: registers that differ in one of them are combined first,
// then lanes, and warps exchange partial results through shared memory:
//
//   8 elements: register bit 0 -> 1, lane bit 0 -> 2, warp bit 0 -> 4
//     steps     register bit 0: v0 = v0 + v1;  lane bit 0: v0 = v0 + v0 of the other
//     exchange  lane 0 of each warp stores; barrier; all threads load 2 values and add them
//
// A function that does not commute must combine adjacent elements first: the bits are processed in
// the order of their positions, and from the first warp bit on the rest goes through shared memory,
// where a thread reads it in order. Of two lanes the lower one has the left operand; its result is
// valid, and in the end all lanes read it.
//
// A thread that holds several rows need not reduce all of them: of two lanes each takes half of the
// rows and sends the other half, one shuffle for two rows (a fold). Finally each lane gets the
// other's results, or all threads read them from shared memory.
//
// If more than a few partial results are left, lanes share the reading and combine what they have
// read; there is one barrier in any case.
//
// `applyReduce` is the algorithm. A machine executes its steps: the lowering's machine emits
// instructions, the tests' machine executes them on tables of elements.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/AxisBits.h"
#include "tessera/TTGIR/Layout/MachineModel.h"

namespace tessera {

/// How combine(x, y) and combine(y, x) relate: they have the same bits; they differ only in
/// irrelevant bits, such as which zero or NaN, but all threads must still agree; or they differ.
enum class Commutes { Exactly, InMeaning, No };

/// Lanes that differ in `lane` share the rows that differ in register bit `row`.
struct ReduceFold {
  AxisBit lane;
  AxisBit row;
};

struct ReducePlan {
  AxisBits bits;
  /// Steps between registers, and between lanes if the order must be kept.
  llvm::SmallVector<AxisBit, 8> steps;
  /// Otherwise, the steps between lanes.
  llvm::SmallVector<ReduceFold, 2> folds;
  llvm::SmallVector<AxisBit, 8> lanes;
  /// The exchange of what is left after the steps; then the steps between lanes that shared the
  /// reading.
  std::optional<ExchangePlan> exchange;
  llvm::SmallVector<AxisBit, 8> stepsAfter;
  /// In the end, lanes read from the lane in which these bits are zero.
  uint64_t spread = 0;
};

/// Returns nothing if classifyBits returns nothing. `wholeWarps`: an instruction combines all lanes
/// of a warp. The memory that a plan needs depends neither on it nor on the costs.
std::optional<ReducePlan> planReduce(const LinearLayout &layout, unsigned axis, Commutes commutes,
                                     bool wholeWarps = false, const ReduceCosts &costs = {});

/// For each register of `result` (the layout without the axis), returns the register of `source`
/// that holds the reduced value. Nothing if the threads do not agree.
std::optional<llvm::SmallVector<unsigned>>
reducedRegisters(const LinearLayout &source, unsigned axis, const LinearLayout &result);

/// Executes a plan on `values`, one per register; registers of index 0 along the axis
/// then hold the results. A machine has
///   Value                                         the values of a register in all threads
///   combine(left, right), shuffleXor(value, lane mask), shuffleFrom(value, LaneSource),
///   select(ThreadTest, yes, no)
///   combineAllLanes(value)                        optional<Value>: one instruction for a warp
///   combineInAnyOrder(value)                      optional<Value>: moves between neighbours, for
///                                                 a function that commutes; all lanes get it
///   store(layout, register, writers, value), barrier(), load(layout, register, slots)
template <typename Machine> class ReduceSteps {
public:
  using Value = typename Machine::Value;
  ReduceSteps(Machine &machine, const ReducePlan &plan, llvm::ArrayRef<Value> values)
      : machine(machine), plan(plan), values(values) {
    collectLive(plan.bits.replicatedRegisters);
  }

  llvm::SmallVector<Value> run() {
    apply(plan.steps);
    for (const ReduceFold &fold : plan.folds)
      shareRows(fold);
    bool isUniform = combineWave(plan.lanes);
    if (!isUniform)
      apply(plan.lanes);
    if (plan.exchange)
      exchange(*plan.exchange);
    apply(plan.stepsAfter);
    // After an exchange the lanes agree that have not combined since.
    if (plan.spread != 0 && (plan.exchange || !isUniform))
      for (unsigned reg : live)
        values[reg] = machine.shuffleFrom(values[reg], LaneSource{~plan.spread});
    if (!plan.exchange)
      for (const ReduceFold &fold : llvm::reverse(plan.folds))
        returnRows(fold);
    return std::move(values);
  }

private:
  /// Collects the registers without any of these bits.
  void collectLive(uint64_t without) {
    live.clear();
    for (unsigned reg = 0; reg < plan.bits.numRegisters; ++reg)
      if ((reg & without) == 0)
        live.push_back(reg);
  }

  void apply(llvm::ArrayRef<AxisBit> steps) {
    while (!steps.empty()) {
      size_t done = combineRegisters(steps);
      if (done == 0)
        done = combineWarp(steps);
      if (done == 0) {
        combineLanes(steps.front());
        done = 1;
      }
      steps = steps.drop_front(done);
    }
  }

  /// Combines the registers that the steps up to the next lane step join; returns the number of
  /// steps.
  size_t combineRegisters(llvm::ArrayRef<AxisBit> steps) {
    steps = steps.take_while([](const AxisBit &bit) { return bit.level == Dim::reg(); });
    unsigned mask = 0;
    for (const AxisBit &bit : steps)
      mask |= 1u << bit.bit;
    llvm::erase_if(live, [&](unsigned reg) { return (reg & mask) != 0; });
    for (unsigned first : live) {
      llvm::SmallVector<Value> elements;
      for (unsigned i = 0; i < 1u << steps.size(); ++i) {
        unsigned reg = first;
        for (size_t bit = 0; bit < steps.size(); ++bit)
          if (i >> bit & 1)
            reg |= 1u << steps[bit].bit;
        elements.push_back(values[reg]);
      }
      values[first] = combineInOrder(elements);
    }
    return steps.size();
  }

  /// Combines short chains of adjacent elements, with several chains to hide latency, then a tree
  /// of their results. Sums of products become multiply-adds in a chain, but not in a tree;
  /// rounding errors grow with the length of the chain.
  Value combineInOrder(llvm::MutableArrayRef<Value> elements) {
    constexpr size_t kChains = 4, kMaxLength = 8;
    size_t length = std::clamp<size_t>(elements.size() / kChains, 1, kMaxLength);
    for (size_t chain = 0; chain < elements.size(); chain += length)
      for (size_t i = 1; i < length; ++i)
        elements[chain] = machine.combine(elements[chain], elements[chain + i]);
    for (size_t step = length; step < elements.size(); step *= 2)
      for (size_t i = 0; i + step < elements.size(); i += 2 * step)
        elements[i] = machine.combine(elements[i], elements[i + step]);
    return elements[0];
  }

  void combineLanes(const AxisBit &bit) {
    uint64_t mask = plan.bits.threadMask(bit);
    for (unsigned reg : live)
      values[reg] = machine.combine(values[reg], machine.shuffleXor(values[reg], mask));
  }

  void shareRows(const ReduceFold &fold) {
    uint64_t mask = plan.bits.threadMask(fold.lane);
    unsigned row = 1u << fold.row.bit;
    ThreadTest isLower{mask, 0};
    llvm::erase_if(live, [&](unsigned reg) { return (reg & row) != 0; });
    for (unsigned reg : live) {
      Value mine = machine.select(isLower, values[reg], values[reg | row]);
      Value theirs = machine.select(isLower, values[reg | row], values[reg]);
      values[reg] = machine.combine(mine, machine.shuffleXor(theirs, mask));
    }
  }

  void returnRows(const ReduceFold &fold) {
    uint64_t mask = plan.bits.threadMask(fold.lane);
    unsigned row = 1u << fold.row.bit;
    ThreadTest isLower{mask, 0};
    for (size_t i = 0, count = live.size(); i < count; ++i) {
      unsigned reg = live[i];
      Value mine = values[reg], theirs = machine.shuffleXor(mine, mask);
      values[reg] = machine.select(isLower, mine, theirs);
      values[reg | row] = machine.select(isLower, theirs, mine);
      live.push_back(reg | row);
    }
  }

  /// Combines all lanes of a warp at once; returns the number of steps.
  size_t combineWarp(llvm::ArrayRef<AxisBit> steps) {
    size_t count = plan.bits.laneBits;
    if (count == 0 || steps.size() < count ||
        !llvm::all_of(steps.take_front(count),
                      [](const AxisBit &bit) { return bit.level == Dim::lane(); }))
      return 0;
    for (unsigned reg : live) {
      std::optional<Value> all = machine.combineAllLanes(values[reg]);
      if (!all)
        return 0; // it supports the first value or none
      values[reg] = *all;
    }
    return count;
  }

  /// Combines all lanes of a warp, in any order, if these are its lanes. All lanes then have the
  /// same.
  bool combineWave(llvm::ArrayRef<AxisBit> lanes) {
    if (lanes.empty() || lanes.size() != plan.bits.laneBits)
      return false;
    for (unsigned reg : live) {
      std::optional<Value> all = machine.combineInAnyOrder(values[reg]);
      if (!all)
        return false; // it supports the first value or none
      values[reg] = *all;
    }
    return true;
  }

  void exchange(const ExchangePlan &exchange) {
    for (unsigned reg : live)
      machine.store(exchange.stores, reg, exchange.writers, values[reg]);
    machine.barrier();
    uint64_t withoutRow = plan.bits.replicatedRegisters;
    for (const AxisBit &bit : plan.bits.axis)
      if (bit.level == Dim::reg())
        withoutRow |= uint64_t(1) << bit.bit;
    collectLive(withoutRow);
    for (unsigned reg : live) {
      llvm::SmallVector<Value> slots = machine.load(exchange.loads, reg, exchange.slots);
      values[reg] = combineInOrder(slots);
    }
  }

  Machine &machine;
  const ReducePlan &plan;
  llvm::SmallVector<Value> values;
  llvm::SmallVector<unsigned> live;
};

} // namespace tessera
