//===- SharedMemoryModel.h - threads, registers and memory, as tables -----===//
// Models of the instructions and of the memory's banks that share no code with the
// planner: a table holds, for every CTA, warp, lane and register, the number of the
// element that is there.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>
#include <vector>

namespace tessera::test {

using llvm::ArrayRef;

inline constexpr int64_t nothing = -1;

struct Machine {
  unsigned registers, lanes, warps, blocks;
};

/// The element that each register of each thread holds.
struct Table {
  Table(const Machine &machine)
      : machine(machine),
        cells(machine.registers * machine.lanes * machine.warps * machine.blocks, nothing) {}
  int64_t &at(unsigned block, unsigned warp, unsigned lane, unsigned reg) {
    return cells[((block * machine.warps + warp) * machine.lanes + lane) * machine.registers + reg];
  }
  Machine machine;
  std::vector<int64_t> cells;
};

inline Machine machineOf(const LinearLayout &layout) {
  return {unsigned(layout.inSize(Dim::reg())), unsigned(layout.inSize(Dim::lane())),
          unsigned(layout.inSize(Dim::warp())), unsigned(layout.inSize(Dim::block()))};
}

template <typename Visit> void forEachThread(const Machine &m, Visit visit) {
  for (unsigned block = 0; block < m.blocks; ++block)
    for (unsigned warp = 0; warp < m.warps; ++warp)
      for (unsigned lane = 0; lane < m.lanes; ++lane)
        visit(block, warp, lane);
}

inline Table tableOf(const LinearLayout &layout) {
  Table table(machineOf(layout));
  forEachThread(table.machine, [&](unsigned block, unsigned warp, unsigned lane) {
    for (unsigned reg = 0; reg < table.machine.registers; ++reg) {
      Point point{
          {Dim::reg(), reg}, {Dim::lane(), lane}, {Dim::warp(), warp}, {Dim::block(), block}};
      int64_t element = 0;
      for (const DimIndex &index : layout.apply(point))
        element = element * 4096 + index.index;
      table.at(block, warp, lane, reg) = element;
    }
  });
  return table;
}

inline uint64_t xorOf(ArrayRef<uint64_t> bases, uint64_t bits) {
  uint64_t result = 0;
  for (auto [i, basis] : llvm::enumerate(bases))
    if (bits >> i & 1)
      result ^= basis;
  return result;
}

/// Returns the address of value `index` of a lane, given the addresses that the lanes of the warp
/// pass: this is the instruction's definition in the PTX ISA.
inline uint64_t placeOf(const SharedAccessPlan &plan, unsigned elementBits,
                        ArrayRef<uint64_t> addresses, unsigned lane, unsigned index) {
  if (plan.instruction == SharedInstruction::Vector)
    return addresses[lane] + index;
  unsigned perWord = 32 / elementBits;
  unsigned matrix = index / perWord, inWord = index % perWord;
  unsigned row = lane / 4, column = lane % 4 * perWord + inWord;
  if (plan.instruction == SharedInstruction::MatrixTransposed) {
    row = lane % 4 * 2 + inWord;
    column = lane / 4;
  }
  return addresses[8 * matrix + row] + column;
}

/// Uses of the banks by one access of one warp: groups of lanes whose accesses are at
/// most 128 bytes are served together, one word of each bank at a time.
inline unsigned countBankUses(const SharedAccessPlan &plan, unsigned elementBits,
                              ArrayRef<uint64_t> addresses) {
  bool isVector = plan.instruction == SharedInstruction::Vector;
  unsigned bytes = isVector ? plan.width * elementBits / 8 : 16;
  unsigned lanes = isVector ? addresses.size() : plan.width * elementBits / 32 * 8;
  unsigned group = bytes <= 4 ? 32 : 128 / bytes, uses = 0;
  for (unsigned first = 0; first < lanes; first += group) {
    std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
    for (unsigned lane = first; lane < std::min(first + group, lanes); ++lane)
      for (unsigned byte = 0; byte < bytes; ++byte) {
        uint64_t word = (addresses[lane] * elementBits / 8 + byte) / 4;
        wordsOfBank[word % 32].insert(word);
      }
    size_t most = 0;
    for (auto &[bank, words] : wordsOfBank)
      most = std::max(most, words.size());
    uses += most;
  }
  return uses;
}

} // namespace tessera::test
