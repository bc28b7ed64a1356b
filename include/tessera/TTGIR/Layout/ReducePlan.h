//===- ReducePlan.h - combining the elements along one dimension ----------===//
// The bits of the axis say it all: combine registers that differ in one of them, then
// lanes, and let warps meet in shared memory:
//
//   8 elements: register bit 0 -> 1, lane bit 0 -> 2, warp bit 0 -> 4
//     steps     register bit 0: v0 = v0 + v1;  lane bit 0: v0 = v0 + v0 of the other
//     exchange  lane 0 of each warp stores; barrier; everybody loads 2 and adds them
//
// A function that does not commute is applied to neighbours before their neighbours:
// bits in the order of their positions, and from the first warp bit on everything that
// is left goes through shared memory, where a thread reads it in order.
//
// Where more than a few partial results are left, lanes share the reading and combine
// what they have read: one barrier in any case.
//
// `applyReduce` is the algorithm. A machine executes its steps: the lowering's writes
// instructions, the tests' runs them on tables of elements.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/AxisBits.h"

namespace tessera {

struct ReducePlan {
  AxisBits bits;
  bool ordered = false;
  /// Of registers and lanes, in this order.
  llvm::SmallVector<AxisBit, 8> steps;
  /// What is left after the steps; and then the lanes that shared the reading.
  std::optional<ExchangePlan> exchange;
  llvm::SmallVector<AxisBit, 8> stepsAfter;
};

/// Nothing where classifyBits gives nothing. `ordered`: the function does not commute.
std::optional<ReducePlan> planReduce(const LinearLayout &layout, unsigned axis, bool ordered);

/// Of each register of `result` (the layout without the axis), the register of `source`
/// that holds the reduced value. Nothing if the threads do not agree.
std::optional<llvm::SmallVector<unsigned>>
reducedRegisters(const LinearLayout &source, unsigned axis, const LinearLayout &result);

/// Executes a plan on `values`, one per register; registers of index 0 along the axis
/// then hold the results. A machine has
///   Value                                         what a register holds in every thread
///   combine(left, right), shuffleXor(value, lane mask), select(ThreadTest, yes, no)
///   combineAllLanes(value)                        optional<Value>: one instruction for a warp
///   store(layout, register, writers, value), barrier(), load(layout, register, slots)
template <typename Machine> class ReduceSteps {
public:
  using Value = typename Machine::Value;
  ReduceSteps(Machine &machine, const ReducePlan &plan, llvm::ArrayRef<Value> values)
      : machine(machine), plan(plan), values(values) {
    for (unsigned reg = 0; reg < plan.bits.numRegisters; ++reg)
      if ((reg & plan.bits.replicatedRegisters) == 0)
        live.push_back(reg);
  }

  llvm::SmallVector<Value> run() {
    apply(plan.steps);
    if (plan.exchange)
      exchange(*plan.exchange);
    apply(plan.stepsAfter);
    return std::move(values);
  }

private:
  void apply(llvm::ArrayRef<AxisBit> steps) {
    while (!steps.empty()) {
      if (size_t done = combineWarp(steps)) {
        steps = steps.drop_front(done);
        continue;
      }
      if (steps.front().level == Dim::reg())
        combineRegisters(1u << steps.front().bit);
      else
        combineLanes(steps.front());
      steps = steps.drop_front();
    }
  }

  void combineRegisters(unsigned mask) {
    llvm::SmallVector<unsigned> left;
    for (unsigned reg : live)
      if ((reg & mask) == 0) {
        values[reg] = machine.combine(values[reg], values[reg | mask]);
        left.push_back(reg);
      }
    live = std::move(left);
  }

  void combineLanes(const AxisBit &bit) {
    uint64_t mask = plan.bits.threadMask(bit);
    for (unsigned reg : live) {
      Value mine = values[reg], theirs = machine.shuffleXor(mine, mask);
      if (!plan.ordered) {
        values[reg] = machine.combine(mine, theirs);
        continue;
      }
      ThreadTest isLeft{mask, 0};
      values[reg] = machine.combine(machine.select(isLeft, mine, theirs),
                                    machine.select(isLeft, theirs, mine));
    }
  }

  /// All lanes of a warp at once; how many steps that was.
  size_t combineWarp(llvm::ArrayRef<AxisBit> steps) {
    size_t count = plan.bits.laneBits;
    if (plan.ordered || count == 0 || steps.size() < count ||
        !llvm::all_of(steps.take_front(count),
                      [](const AxisBit &bit) { return bit.level == Dim::lane(); }))
      return 0;
    for (unsigned reg : live) {
      std::optional<Value> all = machine.combineAllLanes(values[reg]);
      if (!all)
        return 0; // it refuses the first value or none
      values[reg] = *all;
    }
    return count;
  }

  void exchange(const ExchangePlan &exchange) {
    for (unsigned reg : live)
      machine.store(exchange.stores, reg, exchange.writers, values[reg]);
    machine.barrier();
    uint64_t axisRegisters = 0;
    for (const AxisBit &bit : plan.bits.axis)
      if (bit.level == Dim::reg())
        axisRegisters |= uint64_t(1) << bit.bit;
    llvm::erase_if(live, [&](unsigned reg) { return (reg & axisRegisters) != 0; });
    for (unsigned reg : live) {
      llvm::SmallVector<Value> slots = machine.load(exchange.loads, reg, exchange.slots);
      for (size_t step = 1; step < slots.size(); step *= 2) // neighbours first
        for (size_t i = 0; i + step < slots.size(); i += 2 * step)
          slots[i] = machine.combine(slots[i], slots[i + step]);
      values[reg] = slots[0];
    }
  }

  Machine &machine;
  const ReducePlan &plan;
  llvm::SmallVector<Value> values;
  llvm::SmallVector<unsigned> live;
};

} // namespace tessera
