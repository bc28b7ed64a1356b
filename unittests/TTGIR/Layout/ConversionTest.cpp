//===- ConversionTest.cpp - conversions, carried out on tables ------------===//
// A plan's moves are carried out one by one on a table of what every register holds
// (SharedMemoryModel.h), for random pairs of layouts and for those that kernels meet.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/Conversion.h"
#include "RandomLayout.h"
#include "SharedMemoryModel.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::test;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

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
          for (uint64_t address : addresses)
            EXPECT_EQ(address * elementBits / 8 % bytesPerAddress(plan, elementBits), 0u);
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
           const ExchangeInstructions &available, Seen &seen, const MachineModel &machine = {}) {
  SCOPED_TRACE(src.str() + "\nto\n" + dst.str() + "\nbits " + std::to_string(elementBits));
  std::optional<ConversionPlan> plan = planConversion(src, dst, elementBits, machine);
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
    SharedExchange exchange = planExchange(src, dst, elementBits, available, machine);
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
  const ExchangeInstructions chips[] = {{128, false, MatrixMoves::None},
                                        {128, false, MatrixMoves::Rows},
                                        {128, true, MatrixMoves::Rows}};
  for (unsigned i = 0; i < 8000 && !::testing::Test::HasFailure(); ++i) {
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

TEST(Conversion, RandomPairsArriveInColumns) {
  // 64 lanes, which transpose what they load.
  Random random(11);
  Seen seen;
  MachineModel machine;
  machine.matrixLoads = MatrixMoves::Columns;
  machine.banks = {.laneBits = 6, .banks = 64};
  for (unsigned i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
    SmallVector<DimBits> outs{{Dim::axis(0), below(random, 7)}, {Dim::axis(1), below(random, 6)}};
    bool simple = below(random, 4) != 0;
    LinearLayout src = randomTensor(random, outs, /*lanes=*/6, below(random, 3), 0, simple);
    LinearLayout dst = randomTensor(random, outs, /*lanes=*/6, src.inBits(Dim::warp()), 0, simple);
    check(src, dst, 8u << below(random, 3), {128, false, machine.matrixLoads}, seen, machine);
  }
  EXPECT_GT(seen.instructions[SharedInstruction::Columns], 20u);
}

/// The accesses' uses of the banks, and the plan.
struct Measured {
  ConversionPlan plan;
  SharedExchange exchange;
  unsigned bankUses;
};

Measured measure(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                 const ExchangeInstructions &available) {
  Seen seen;
  check(src, dst, elementBits, available, seen);
  Measured result{*planConversion(src, dst, elementBits),
                  planExchange(src, dst, elementBits, available), 0};
  Table from = tableOf(src), to(machineOf(dst));
  MemoryRun run{result.exchange, elementBits, {}, 0};
  run.run(from, to);
  result.bankUses = run.bankUses;
  return result;
}

const NvidiaMmaParams mma{2, 0, {2, 2}, {16, 8}};
const BlockedParams rowsOf4{{1, 4}, {1, 32}, {4, 1}, {1, 0}};
const BlockedParams rowsOf8{{1, 8}, {2, 16}, {4, 1}, {1, 0}};
const BlockedParams columns{{4, 1}, {32, 1}, {1, 4}, {0, 1}};

TEST(Conversion, TransposesWithoutConflicts) {
  // 32 registers a thread; stored and loaded one by one, 32 lanes to 32 banks.
  LinearLayout rows = blockedLayout({64, 64}, {{1, 4}, {2, 16}, {4, 1}, {1, 0}});
  LinearLayout cols = blockedLayout({64, 64}, {{4, 1}, {16, 2}, {1, 4}, {0, 1}});
  Measured m = measure(rows, cols, 32, {});
  EXPECT_EQ(m.plan.method, ConversionMethod::BlockMemory);
  EXPECT_EQ(m.bankUses, 64u);
  EXPECT_EQ(m.plan.scratchBytes, 64u * 64 * 4);
}

TEST(Conversion, AccumulatorsLeaveInWideVectors) {
  // The epilogue of a matmul: 128 registers a thread, in rounds of 32 KiB.
  LinearLayout accumulator = nvidiaMmaLayout({128, 128}, mma);
  Measured f32 = measure(accumulator, blockedLayout({128, 128}, rowsOf4), 32, {});
  EXPECT_EQ(f32.plan.rounds, 2u);
  EXPECT_EQ(f32.plan.scratchBytes, 32u * 1024);
  EXPECT_EQ(f32.exchange.loads.width, 4u);
  EXPECT_EQ(f32.bankUses, 2 * 128u);

  // Halves: 4 words of a thread at once, all banks in use on both sides.
  LinearLayout rows = blockedLayout({128, 128}, rowsOf8);
  for (bool stmatrix : {false, true}) {
    Measured f16 = measure(accumulator, rows, 16, {128, stmatrix, MatrixMoves::Rows});
    EXPECT_EQ(f16.bankUses, 2 * 64u);
    EXPECT_EQ(f16.exchange.stores.accesses.size() + f16.exchange.loads.accesses.size(), 32u);
  }
}

TEST(Conversion, OperandsAreReadInMatrices) {
  NvidiaMmaParams tall{2, 0, {4, 1}, {16, 8}};
  BlockedParams single{{1, 1}, {1, 32}, {4, 1}, {1, 0}}, wide{{1, 8}, {4, 8}, {4, 1}, {1, 0}};
  const ExchangeInstructions available{128, false, MatrixMoves::Rows};
  // Matrices hold pairs of halves as the matrix unit wants them; vectors that take as long to
  // load would have to be moved. Elements that come one by one are stored so, and not permuted
  // in each of the warps that read them.
  LinearLayout left = dotOperandLayout({64, 64}, 0, 2, tall);
  LinearLayout right = dotOperandLayout({64, 64}, 1, 2, tall);
  Measured m = measure(blockedLayout({64, 64}, wide), left, 16, available);
  EXPECT_EQ(m.exchange.loads.instruction, SharedInstruction::Matrix);
  EXPECT_EQ(m.bankUses, 16u + 16u);
  m = measure(blockedLayout({64, 64}, wide), right, 16, available);
  EXPECT_EQ(m.exchange.loads.instruction, SharedInstruction::MatrixTransposed);
  EXPECT_EQ(m.bankUses, 16u + 64u);
  m = measure(blockedLayout({64, 64}, single), right, 16, available);
  EXPECT_EQ(m.exchange.loads.instruction, SharedInstruction::MatrixTransposed);
  EXPECT_EQ(m.exchange.stores.width, 1u);
  EXPECT_EQ(m.bankUses, 32u + 64u);
}

TEST(Conversion, OperandsOfEightBitsShuffle) {
  // From an accumulator to an operand of 4 elements along K: one register bit moves to a
  // lane bit, lanes are permuted, four bytes travel together.
  NvidiaMmaParams tall{2, 0, {4, 1}, {16, 8}};
  LinearLayout accumulator = nvidiaMmaLayout({64, 64}, tall);
  LinearLayout operand = dotOperandLayout({64, 64}, 0, 4, tall);
  std::optional<ConversionPlan> plan = planConversion(accumulator, operand, 8);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->method, ConversionMethod::Shuffle);
  EXPECT_EQ(plan->shuffles->packedTo.size(), 2u);
  // 32 registers are packed into 8 words.
  EXPECT_EQ(plan->shuffles->numShuffles, 8u);
  EXPECT_EQ(plan->scratchBytes, 0u);
}

TEST(Conversion, ManySelectsGoThroughMemory) {
  // Rows of an accumulator become K: words of two rows are packed, and two register bits of a word
  // change places with lanes, by a select of every word before and after.
  MachineModel machine;
  machine.moves.shuffle = 1.25;
  machine.moves.select = 0.75;
  machine.moves.sharedLatency = 12;
  NvidiaMmaParams single{2, 0, {1, 1}, {16, 8}};
  auto planFor = [&](unsigned rows, const MachineModel &machine) {
    LinearLayout accumulator = nvidiaMmaLayout({rows, 8}, single);
    LinearLayout operand = dotOperandLayout({rows, 8}, 1, 2, single);
    return *planConversion(accumulator, operand, 16, machine);
  };
  ConversionPlan few = planFor(32, machine);
  ASSERT_EQ(few.method, ConversionMethod::Shuffle);
  EXPECT_EQ(few.shuffles->numShuffles, 4u);
  EXPECT_EQ(few.shuffles->numSelects, 8u);
  EXPECT_EQ(few.shuffles->numPermutes, 8u);
  EXPECT_EQ(planFor(64, machine).method, ConversionMethod::WarpMemory);
  // Where selects cost less and the latency more, shuffles are better.
  EXPECT_EQ(planFor(64, MachineModel()).method, ConversionMethod::Shuffle);
}

TEST(Conversion, CopiesInManyLanesAreReadOnce) {
  // 64 values, two in each lane, that each half of a warp needs 32 of: 32 shuffles, or loads that
  // 16 lanes share.
  const Dim element = Dim::axis(0);
  LinearLayout spread = LinearLayout::identity(2, Dim::reg(), element) *
                        LinearLayout::identity(32, Dim::lane(), element);
  LinearLayout gathered = LinearLayout::zeros(16, Dim::lane(), element) *
                          LinearLayout::identity(2, Dim::lane(), element) *
                          LinearLayout::identity(32, Dim::reg(), element);
  EXPECT_EQ(planConversion(spread, gathered, 32)->method, ConversionMethod::WarpMemory);
  // Sorting the offset's bits for short addresses keeps the loads' vectors together.
  Measured m = measure(spread, gathered, 32, {128, /*matrixStores=*/true, MatrixMoves::Rows});
  EXPECT_EQ(m.exchange.loads.width, 4u);
  EXPECT_EQ(m.exchange.loads.accesses.size(), 8u);
  // Where no lanes share anything, shuffles of so few values are better.
  LinearLayout swapped = LinearLayout::identity(2, Dim::lane(), element) *
                         LinearLayout::identity(2, Dim::reg(), element) *
                         LinearLayout::identity(16, Dim::lane(), element);
  EXPECT_EQ(planConversion(spread, swapped, 32)->method, ConversionMethod::Shuffle);
}

TEST(Conversion, LargeTensorsTakeTurns) {
  Seen seen;
  // More than 32 KiB, with registers that both sides have.
  for (auto [from, to] :
       {std::pair(rowsOf4, columns), std::pair(rowsOf8, rowsOf4), std::pair(columns, rowsOf8)})
    for (unsigned bits : {16, 32, 64})
      check(blockedLayout({128, 128}, from), blockedLayout({128, 128}, to), bits,
            {128, true, MatrixMoves::Rows}, seen);
  EXPECT_GT(seen.rounds, 0u);
}

} // namespace
