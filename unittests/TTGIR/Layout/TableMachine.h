//===- TableMachine.h - runs plans on tables of elements ------------------===//
// A register's value is what each thread of the block holds of it: a sequence of
// element numbers, in the order in which they were combined. Memory remembers who wrote
// what since which barrier, so that races are found.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "tessera/TTGIR/Layout/ScanPlan.h"
#include "gtest/gtest.h"
#include <map>
#include <vector>

namespace tessera::test {

class TableMachine {
public:
  using Elements = std::vector<int>;
  using Value = std::vector<Elements>; // one per thread

  TableMachine(unsigned laneBits, unsigned warpBits, unsigned memorySize)
      : laneBits(laneBits), numThreads(1u << (laneBits + warpBits)), memory(memorySize) {}

  Value combine(const Value &left, const Value &right) {
    Value result = left;
    for (unsigned t = 0; t < numThreads; ++t)
      result[t].insert(result[t].end(), right[t].begin(), right[t].end());
    ++combinations;
    return result;
  }
  Value shuffleXor(const Value &value, uint64_t mask) {
    ++shuffles;
    return gather(value, [&](uint64_t lane) { return lane ^ mask; });
  }
  Value shuffleFrom(const Value &value, const LaneSource &source) {
    ++shuffles;
    return gather(value, [&](uint64_t lane) { return source.of(lane); });
  }
  Value select(const ThreadTest &test, const Value &yes, const Value &no) {
    Value result = no;
    for (unsigned t = 0; t < numThreads; ++t)
      if ((t & test.mask) == test.value)
        result[t] = yes[t];
    return result;
  }
  std::optional<Value> combineAllLanes(const Value &) { return std::nullopt; }
  std::optional<Value> combineInAnyOrder(const Value &value) {
    if (!combinesWaves)
      return std::nullopt;
    Value result(numThreads);
    for (unsigned t = 0; t < numThreads; ++t)
      for (unsigned lane = 1u << laneBits; lane-- > 0;) {
        const Elements &other = value[t >> laneBits << laneBits | lane];
        result[t].insert(result[t].end(), other.begin(), other.end());
      }
    return result;
  }

  void store(const LinearLayout &layout, unsigned reg, const ThreadTest &writers,
             const Value &value, unsigned first = 0) {
    for (unsigned t = 0; t < numThreads; ++t) {
      if ((t & writers.mask) != writers.value)
        continue;
      uint64_t offset = first + offsetOf(layout, reg, t);
      ASSERT_LT(offset, memory.size());
      Cell &cell = memory[offset];
      EXPECT_TRUE(cell.written != epoch) << "two threads write " << offset;
      EXPECT_TRUE(cell.read != epoch) << "written while it is read: " << offset;
      cell = {value[t], epoch, cell.read};
    }
  }
  void barrier() { ++epoch; }
  llvm::SmallVector<Value> load(const LinearLayout &layout, unsigned reg, unsigned slots,
                                unsigned first = 0) {
    llvm::SmallVector<Value> result(slots, Value(numThreads));
    for (unsigned t = 0; t < numThreads; ++t)
      for (unsigned slot = 0; slot < slots; ++slot) {
        uint64_t offset = first + offsetOf(layout, reg, t) + slot;
        if (offset >= memory.size() || memory[offset].written < 0) {
          ADD_FAILURE() << "reads " << offset << ", which nobody wrote";
          continue;
        }
        EXPECT_TRUE(memory[offset].written != epoch) << "read before a barrier: " << offset;
        memory[offset].read = epoch;
        result[slot][t] = memory[offset].value;
      }
    return result;
  }

  unsigned combinations = 0, shuffles = 0;
  int epoch = 0;
  bool combinesWaves = false; // whether combineInAnyOrder does it

private:
  struct Cell {
    Elements value;
    int written = -1, read = -1;
  };

  uint64_t offsetOf(const LinearLayout &layout, unsigned reg, unsigned t) const {
    uint64_t lane = t & ((1u << laneBits) - 1), warp = t >> laneBits;
    return layout.apply({{Dim::reg(), reg}, {Dim::lane(), lane}, {Dim::warp(), warp}},
                        Dim::offset());
  }
  template <typename Function> Value gather(const Value &value, Function function) {
    Value result(numThreads);
    uint64_t lanes = (uint64_t(1) << laneBits) - 1;
    for (unsigned t = 0; t < numThreads; ++t) {
      uint64_t lane = function(t & lanes);
      EXPECT_LE(lane & lanes, lanes);
      result[t] = value[(t & ~lanes) | (lane & lanes)];
    }
    return result;
  }

  unsigned laneBits, numThreads;
  std::vector<Cell> memory;
};

} // namespace tessera::test
