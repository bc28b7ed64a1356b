//===- ConversionTest.cpp - conversions, carried out on tables ------------===//
// A table holds, for every CTA, warp, lane and register, the number of the element that
// is there. A plan's moves are carried out on it one by one, with models of the
// instructions and of the memory's banks that share no code with the planner.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/Conversion.h"
#include "RandomLayout.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <chrono>
#include <map>
#include <set>

using namespace tessera;
using namespace tessera::test;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr int64_t nothing = -1;

struct Machine {
  unsigned registers, lanes, warps, blocks;
};

/// What every register of every thread holds.
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

Machine machineOf(const LinearLayout &layout) {
  return {unsigned(layout.inSize(Dim::reg())), unsigned(layout.inSize(Dim::lane())),
          unsigned(layout.inSize(Dim::warp())), unsigned(layout.inSize(Dim::block()))};
}

template <typename Visit> void forEachThread(const Machine &m, Visit visit) {
  for (unsigned block = 0; block < m.blocks; ++block)
    for (unsigned warp = 0; warp < m.warps; ++warp)
      for (unsigned lane = 0; lane < m.lanes; ++lane)
        visit(block, warp, lane);
}

Table tableOf(const LinearLayout &layout) {
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

uint64_t xorOf(ArrayRef<uint64_t> bases, uint64_t bits) {
  uint64_t result = 0;
  for (auto [i, basis] : llvm::enumerate(bases))
    if (bits >> i & 1)
      result ^= basis;
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where an access's value `index` of a lane lies, given the addresses that the warp's
/// lanes name: the instruction's definition in the PTX ISA.
uint64_t placeOf(const SharedAccessPlan &plan, unsigned elementBits, ArrayRef<uint64_t> addresses,
                 unsigned lane, unsigned index) {
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
unsigned countBankUses(const SharedAccessPlan &plan, unsigned elementBits,
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

struct MemoryRun {
  const SharedExchange &exchange;
  unsigned elementBits;
  std::vector<std::vector<int64_t>> memory; // of each CTA
  unsigned bankUses = 0;                    // of the first warp

  uint64_t inBuffer(uint64_t offset) const {
    return offset & ((uint64_t(1) << exchange.offsetBits) - 1);
  }

  template <typename Visit>
  void forEachAccess(const SharedAccessPlan &plan, const Machine &m, bool isStore, unsigned round,
                     Visit visit) {
    for (const SharedAccess &access : plan.accesses) {
      bool byRound = exchange.blockBases.empty();
      if (byRound && access.offset >> exchange.offsetBits != round)
        continue;
      for (unsigned block = 0; block < m.blocks; ++block)
        for (unsigned warp = 0; warp < m.warps; ++warp) {
          SmallVector<uint64_t> addresses;
          SmallVector<uint64_t> owners;
          for (unsigned lane = 0; lane < m.lanes; ++lane) {
            uint64_t at = xorOf(plan.threadBases, lane | uint64_t(warp) * m.lanes) ^ access.offset;
            if (!isStore)
              at ^= xorOf(exchange.blockBases, block);
            if (byRound) {
              EXPECT_EQ(at >> exchange.offsetBits, round);
            }
            addresses.push_back(inBuffer(at));
            owners.push_back(byRound || isStore ? block : at >> exchange.offsetBits);
          }
          if (plan.instruction == SharedInstruction::Vector)
            for (uint64_t address : addresses)
              EXPECT_EQ(address % plan.width, 0u);
          else
            for (uint64_t address : addresses)
              EXPECT_EQ(address * elementBits % 128, 0u);
          if (block == 0 && warp == 0)
            bankUses += countBankUses(plan, elementBits, addresses);
          for (unsigned lane = 0; lane < m.lanes; ++lane)
            for (auto [index, reg] : llvm::enumerate(access.registers))
              visit(block, warp, lane, reg, owners[lane],
                    placeOf(plan, elementBits, addresses, lane, index));
        }
    }
  }

  void run(Table &from, Table &to) {
    for (unsigned round = 0; round < exchange.rounds; ++round) {
      memory.assign(from.machine.blocks,
                    std::vector<int64_t>(uint64_t(1) << exchange.offsetBits, nothing));
      forEachAccess(exchange.stores, from.machine, true, round,
                    [&](unsigned block, unsigned warp, unsigned lane, unsigned reg, unsigned owner,
                        uint64_t place) {
                      int64_t &cell = memory[owner][place];
                      int64_t value = from.at(block, warp, lane, reg);
                      EXPECT_TRUE(cell == nothing || cell == value);
                      cell = value;
                    });
      forEachAccess(exchange.loads, to.machine, false, round,
                    [&](unsigned block, unsigned warp, unsigned lane, unsigned reg, unsigned owner,
                        uint64_t place) { to.at(block, warp, lane, reg) = memory[owner][place]; });
    }
    forEachThread(to.machine, [&](unsigned block, unsigned warp, unsigned lane) {
      for (unsigned reg = 0; reg < to.machine.registers; ++reg)
        to.at(block, warp, lane, reg) = to.at(block, warp, lane, exchange.loads.holder[reg]);
    });
  }
};

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// A word is the list of its elements. Values of one warp: [lane].
using Word = SmallVector<int64_t>;

Word wordAfterSwaps(ArrayRef<LaneSwap> swaps, unsigned lane, uint64_t index,
                    llvm::function_ref<Word(uint64_t)> get) {
  for (const LaneSwap &swap : swaps)
    if (llvm::popcount(lane & swap.lanes) & 1)
      index ^= swap.registers;
  return get(index);
}

void runShuffles(const ConversionPlan &plan, Table &from, Table &to) {
  const ShufflePlan &s = *plan.shuffles;
  Machine m = to.machine;
  unsigned places = 1u << s.packedTo.size();
  forEachThread(m, [&](unsigned block, unsigned warp, unsigned lane) {
    auto source = [&](unsigned lane, uint64_t index) {
      EXPECT_EQ(xorOf(s.wordFrom, index), index);
      Word word;
      for (unsigned place = 0; place < places; ++place)
        word.push_back(from.at(block, warp, lane, index ^ xorOf(s.packedFrom, place)));
      return word;
    };
    auto received = [&](uint64_t index) {
      EXPECT_EQ(xorOf(s.wordTo, index), index);
      unsigned peer = xorOf(s.lanes, lane) ^ xorOf(s.distance, index);
      return wordAfterSwaps(s.before, peer, xorOf(s.sent, index),
                            [&](uint64_t i) { return source(peer, i); });
    };
    for (unsigned reg = 0; reg < m.registers; ++reg) {
      unsigned unique = plan.registers[reg];
      uint64_t index = xorOf(s.wordTo, unique);
      Word word = wordAfterSwaps(s.after, lane, index, received);
      for (unsigned place = 0; place < places; ++place)
        if ((index ^ xorOf(s.packedTo, place)) == unique)
          to.at(block, warp, lane, reg) = word[place];
    }
  });
}

//===----------------------------------------------------------------------===//
// Random pairs
//===----------------------------------------------------------------------===//

/// Surjective, with copies in any place.
LinearLayout randomTensor(Random &random, ArrayRef<DimBits> outs, unsigned lanes, unsigned warps,
                          unsigned blocks, bool simple) {
  unsigned bits = 0;
  for (const DimBits &out : outs)
    bits += out.bits;
  unsigned threads = lanes + warps + blocks;
  unsigned registers = (bits > threads ? bits - threads : 0) + below(random, 3);
  if (registers > 7)
    registers = std::max(bits > threads ? bits - threads : 0, 6u);
  SmallVector<uint64_t> columns(registers + threads, 0);
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < columns.size(); ++i)
    order.push_back(i);
  std::shuffle(order.begin(), order.end(), random);
  for (unsigned bit = 0; bit < bits; ++bit)
    columns[order[bit]] = uint64_t(1) << bit;
  if (!simple) {
    // Add earlier columns to later ones: still surjective.
    for (unsigned i = 0; i < columns.size(); ++i)
      for (unsigned j = 0; j < i; ++j)
        if (below(random, 4) == 0)
          columns[order[i]] ^= columns[order[j]];
  }
  return LinearLayout::fromMatrix(
      F2Matrix::fromColumns(columns, bits),
      {{Dim::reg(), registers}, {Dim::lane(), lanes}, {Dim::warp(), warps}, {Dim::block(), blocks}},
      outs);
}

/// Changes only how registers and lanes are used, so that warps keep their elements.
LinearLayout withinWarps(Random &random, const LinearLayout &layout, bool simple) {
  unsigned registers = layout.inBits(Dim::reg()), lanes = layout.inBits(Dim::lane());
  SmallVector<uint64_t> columns(layout.flatBases());
  llvm::MutableArrayRef<uint64_t> mine =
      llvm::MutableArrayRef<uint64_t>(columns).take_front(registers + lanes);
  std::shuffle(mine.begin(), mine.end(), random);
  if (!simple)
    for (unsigned i = 1; i < mine.size(); ++i)
      mine[i] ^= below(random, 3) == 0 ? mine[below(random, i)] : 0;
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, layout.totalOutBits()),
                                  layout.ins(), layout.outs());
}

struct Seen {
  std::map<ConversionMethod, unsigned> methods;
  std::map<SharedInstruction, unsigned> instructions;
  unsigned rounds = 0, packed = 0;
};

/// Plans the conversion, carries it out, and looks at every value.
void check(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
           const ExchangeInstructions &available, Seen &seen) {
  SCOPED_TRACE(src.str() + "\nto\n" + dst.str() + "\nbits " + std::to_string(elementBits));
  std::optional<ConversionPlan> plan = planConversion(src, dst, elementBits);
  ASSERT_TRUE(plan.has_value());
  ++seen.methods[plan->method];
  Table from = tableOf(src), expected = tableOf(dst), to(machineOf(dst));
  switch (plan->method) {
  case ConversionMethod::Rename:
    forEachThread(to.machine, [&](unsigned block, unsigned warp, unsigned lane) {
      for (unsigned reg = 0; reg < to.machine.registers; ++reg)
        to.at(block, warp, lane, reg) = from.at(block, warp, lane, plan->registers[reg]);
    });
    break;
  case ConversionMethod::Shuffle:
    runShuffles(*plan, from, to);
    seen.packed += !plan->shuffles->packedTo.empty();
    break;
  default: {
    SharedExchange exchange = planExchange(src, dst, elementBits, available);
    EXPECT_EQ(plan->rounds, exchange.rounds);
    EXPECT_EQ(plan->scratchBytes, (uint64_t(1) << exchange.offsetBits) * elementBits / 8);
    seen.rounds += exchange.rounds > 1;
    ++seen.instructions[exchange.stores.instruction];
    ++seen.instructions[exchange.loads.instruction];
    MemoryRun run{exchange, elementBits, {}, 0};
    run.run(from, to);
    // At most what accesses of one element at a time would need without a conflict.
    unsigned perAccess = elementBits == 64 ? 2 : 1;
    size_t accesses = uniqueRegisters(src).kept.size() + uniqueRegisters(dst).kept.size();
    if (src.inBits(Dim::lane()) == 5 && plan->method != ConversionMethod::ClusterMemory) {
      EXPECT_LE(run.bankUses, perAccess * accesses);
    }
  }
  }
  EXPECT_EQ(to.cells, expected.cells);
}

TEST(Conversion, RandomPairsArrive) {
  Random random(7);
  Seen seen;
  const ExchangeInstructions chips[] = {{128, false, false}, {128, false, true}, {128, true, true}};
  for (unsigned i = 0; i < 4000 && !::testing::Test::HasFailure(); ++i) {
    unsigned lanes = below(random, 5) == 0 ? below(random, 6) : 5, warps = below(random, 3);
    unsigned blocks = below(random, 4) == 0 ? 1 + below(random, 2) : 0;
    SmallVector<DimBits> outs{{Dim::axis(0), below(random, 6)}, {Dim::axis(1), below(random, 6)}};
    bool simple = below(random, 2) == 0;
    LinearLayout src = randomTensor(random, outs, lanes, warps, blocks, simple);
    LinearLayout dst = below(random, 3) == 0
                           ? withinWarps(random, src, simple)
                           : randomTensor(random, outs, lanes, warps, blocks, simple);
    check(src, dst, 8u << below(random, 4), chips[below(random, 3)], seen);
  }
  for (ConversionMethod method :
       {ConversionMethod::Rename, ConversionMethod::Shuffle, ConversionMethod::WarpMemory,
        ConversionMethod::BlockMemory, ConversionMethod::ClusterMemory})
    EXPECT_GT(seen.methods[method], 20u) << int(method);
  EXPECT_GT(seen.packed, 20u);
  EXPECT_GT(seen.instructions[SharedInstruction::Matrix], 0u);
}

} // namespace
