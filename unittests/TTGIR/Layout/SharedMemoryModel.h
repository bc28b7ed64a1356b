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
/// pass: this is the instruction's definition in the PTX ISA and in the guide of CDNA4.
inline uint64_t placeOf(const SharedAccessPlan &plan, unsigned elementBits,
                        ArrayRef<uint64_t> addresses, unsigned lane, unsigned index) {
  if (plan.instruction == SharedInstruction::Vector)
    return addresses[lane] + index;
  if (plan.instruction == SharedInstruction::Columns) {
    // Lanes 16g .. 16g+15 read rows of 16 elements: with 4 elements each, lanes 16g+4r .. 16g+4r+3
    // read row r. Value r of lane 16g+c is column c of row r.
    unsigned perLane = 64 / elementBits, group = lane / 16 * 16, column = lane % 16;
    unsigned reader = group + index * (16 / perLane) + column / perLane;
    return addresses[reader] + column % perLane;
  }
  unsigned perWord = 32 / elementBits;
  unsigned matrix = index / perWord, inWord = index % perWord;
  unsigned row = lane / 4, column = lane % 4 * perWord + inWord;
  if (plan.instruction == SharedInstruction::MatrixTransposed) {
    row = lane % 4 * 2 + inWord;
    column = lane / 4;
  }
  return addresses[8 * matrix + row] + column;
}

/// The consecutive bytes behind an address that a lane passes.
inline unsigned bytesPerAddress(const SharedAccessPlan &plan, unsigned elementBits) {
  switch (plan.instruction) {
  case SharedInstruction::Vector:
    return plan.width * elementBits / 8;
  case SharedInstruction::Columns:
    return 8;
  case SharedInstruction::Matrix:
  case SharedInstruction::MatrixTransposed:
    return 16;
  }
  return 0;
}

/// Uses of the banks, of 4 bytes each, by one access of one warp: groups of lanes whose accesses
/// are at most as long as all banks are served together, one word of each bank at a time.
inline unsigned countBankUses(const SharedAccessPlan &plan, unsigned elementBits,
                              ArrayRef<uint64_t> addresses, unsigned banks = 32) {
  unsigned bytes = bytesPerAddress(plan, elementBits);
  unsigned lanes = addresses.size() * (plan.width * elementBits / 8) / bytes;
  unsigned group = bytes <= 4 ? banks : banks * 4 / bytes, uses = 0;
  for (unsigned first = 0; first < lanes; first += group) {
    std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
    for (unsigned lane = first; lane < std::min(first + group, lanes); ++lane)
      for (unsigned byte = 0; byte < bytes; ++byte) {
        uint64_t word = (addresses[lane] * elementBits / 8 + byte) / 4;
        wordsOfBank[word % banks].insert(word);
      }
    size_t most = 0;
    for (auto &[bank, words] : wordsOfBank)
      most = std::max(most, words.size());
    uses += most;
  }
  return uses;
}

} // namespace tessera::test
