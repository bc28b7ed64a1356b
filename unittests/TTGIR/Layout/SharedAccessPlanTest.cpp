//===- SharedAccessPlanTest.cpp - accesses to buffers, carried out --------===//
// Loads and stores between random layouts and random buffers, on the model of
// SharedMemoryModel.h; and the instructions that dot operands must get.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "RandomLayout.h"
#include "SharedMemoryModel.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::test;
using llvm::SmallVector;

namespace {

/// Returns the element at each offset of a buffer, numbered as by tableOf.
std::vector<int64_t> contentsOf(const LinearLayout &buffer) {
  std::vector<int64_t> contents;
  for (uint64_t offset = 0; offset < buffer.inSize(Dim::offset()); ++offset) {
    int64_t element = 0;
    for (const DimIndex &index : buffer.apply({{Dim::offset(), offset}}))
      element = element * 4096 + index.index;
    contents.push_back(element);
  }
  return contents;
}

/// Loads `tensor` from `buffer` as planned, and stores it; the uses of the banks by the
/// first warp are those that the plan's cost says.
SharedAccessPlan check(const LinearLayout &tensor, const LinearLayout &buffer, unsigned elementBits,
                       MatrixMoves matrix, const BankModel &banks = {}) {
  SharedInstructions available{.maxVectorBits = 128, .matrix = matrix, .banks = banks};
  LinearLayout map = *offsetsInBuffer(tensor, buffer);
  SharedAccessPlan plan = planSharedAccess(map, elementBits, available);
  SharedAccessCost cost = costOfSharedAccess(map, elementBits, available);
  std::vector<int64_t> contents = contentsOf(buffer), stored(contents.size(), nothing);
  Table expected = tableOf(tensor), loaded(expected.machine);
  unsigned uses = 0;
  for (const SharedAccess &access : plan.accesses)
    for (unsigned warp = 0; warp < expected.machine.warps; ++warp) {
      SmallVector<uint64_t> addresses;
      for (unsigned lane = 0; lane < expected.machine.lanes; ++lane)
        addresses.push_back(access.offset ^
                            xorOf(plan.threadBases, lane | warp * expected.machine.lanes));
      for (unsigned lane = 0; lane < expected.machine.lanes; ++lane)
        for (auto [index, reg] : llvm::enumerate(access.registers)) {
          uint64_t place = placeOf(plan, elementBits, addresses, lane, index);
          loaded.at(0, warp, lane, reg) = contents[place];
          stored[place] = expected.at(0, warp, lane, reg);
        }
      if (warp == 0)
        uses += countBankUses(plan, elementBits, addresses, banks.banks);
    }
  forEachThread(expected.machine, [&](unsigned block, unsigned warp, unsigned lane) {
    for (unsigned reg = 0; reg < expected.machine.registers; ++reg)
      loaded.at(block, warp, lane, reg) = loaded.at(block, warp, lane, plan.holder[reg]);
  });
  EXPECT_EQ(loaded.cells, expected.cells) << tensor.str() << buffer.str();
  EXPECT_EQ(stored, contents) << tensor.str() << buffer.str();
  EXPECT_EQ(uses, cost.wavefronts) << tensor.str() << buffer.str();
  EXPECT_EQ(plan.accesses.size(), cost.instructions);
  return plan;
}

TEST(SharedAccessPlan, RandomLayoutsAndSwizzles) {
  Random random(3);
  for (unsigned i = 0; i < 1500 && !HasFailure(); ++i) {
    SmallVector<int64_t> shape{int64_t(8) << below(random, 4), int64_t(8) << below(random, 4)};
    unsigned first = below(random, 2);
    SmallVector<unsigned> order{first, 1 - first};
    SwizzledSharedParams params{1u << below(random, 4), 1u << below(random, 3),
                                1u << below(random, 4), order};
    BlockedParams blocked{{1u << below(random, 4), 1u << below(random, 4)},
                          {1, 32},
                          {1u << below(random, 2), 2},
                          {below(random, 2), 0}};
    blocked.threadsPerWarp[0] = 1u << below(random, 6);
    blocked.threadsPerWarp[1] = 32 / blocked.threadsPerWarp[0];
    blocked.order[1] = 1 - blocked.order[0];
    check(blockedLayout(shape, blocked), swizzledSharedLayout(shape, params),
          8u << below(random, 4), below(random, 2) ? MatrixMoves::Rows : MatrixMoves::None);
  }
}

TEST(SharedAccessPlan, DotOperandsLoadMatrices) {
  NvidiaMmaParams mma{2, 0, {2, 2}, {16, 8}};
  struct Case {
    unsigned opIdx, elementBits;
    bool kContiguous;
    SharedInstruction instruction;
  };
  const Case cases[] = {
      {0, 16, true, SharedInstruction::Matrix},
      {1, 16, true, SharedInstruction::Matrix},
      {0, 16, false, SharedInstruction::MatrixTransposed},
      {1, 16, false, SharedInstruction::MatrixTransposed},
      {0, 8, true, SharedInstruction::Matrix},
      {1, 8, true, SharedInstruction::Matrix},
      {0, 32, true, SharedInstruction::Matrix},
      {1, 32, true, SharedInstruction::Matrix},
      {0, 32, false, SharedInstruction::Vector},
      {1, 8, false, SharedInstruction::Vector},
  };
  for (const Case &c : cases)
    for (int64_t k : {32, 64, 128}) {
      SmallVector<int64_t> shape =
          c.opIdx == 0 ? SmallVector<int64_t>{64, k} : SmallVector<int64_t>{k, 64};
      unsigned kDim = c.opIdx == 0 ? 1 : 0;
      unsigned fastest = c.kContiguous ? kDim : 1 - kDim;
      unsigned width = 128 / c.elementBits;
      BlockedParams blocked{{1, 1}, {1, 1}, {1, 1}, {fastest, 1 - fastest}};
      blocked.sizePerThread[fastest] = width;
      blocked.threadsPerWarp[fastest] = std::min<int64_t>(32, shape[fastest] / width);
      blocked.threadsPerWarp[1 - fastest] = 32 / blocked.threadsPerWarp[fastest];
      blocked.warpsPerCTA[1 - fastest] = 4;
      LinearLayout writer = blockedLayout(shape, blocked);
      LinearLayout reader = dotOperandLayout(shape, c.opIdx, 32 / c.elementBits, mma);
      SwizzledSharedParams params = chooseSwizzle({.shape = shape,
                                                   .order = {fastest, 1 - fastest},
                                                   .elementBits = c.elementBits,
                                                   .writers = {writer},
                                                   .readers = {reader},
                                                   .matrixLoads = MatrixMoves::Rows,
                                                   .minVector = width});
      LinearLayout buffer = swizzledSharedLayout(shape, params);
      SCOPED_TRACE(testing::Message()
                   << "operand " << c.opIdx << " bits " << c.elementBits << " k " << k
                   << " contiguous " << c.kContiguous << " vec " << params.vec << " perPhase "
                   << params.perPhase << " maxPhase " << params.maxPhase);
      SharedAccessPlan plan = check(reader, buffer, c.elementBits, MatrixMoves::Rows);
      EXPECT_EQ(plan.instruction, c.instruction);
      check(writer, buffer, c.elementBits, MatrixMoves::None);
      // Writers use all banks, and so do matrices: four of 128 bytes each.
      EXPECT_EQ(costOfSharedAccess(*offsetsInBuffer(writer, buffer), c.elementBits, {}).wavefronts,
                shape[0] * shape[1] * c.elementBits / 8 / 4 / 128);
      SharedAccessCost reads = costOfSharedAccess(*offsetsInBuffer(reader, buffer), c.elementBits,
                                                  {128, MatrixMoves::Rows});
      if (c.instruction == SharedInstruction::Vector) {
        EXPECT_EQ(reads.wavefronts, reads.instructions);
        continue;
      }
      EXPECT_EQ(plan.width, 128 / c.elementBits);
      EXPECT_EQ(reads.wavefronts, 4 * reads.instructions);
    }
}

/// A machine of 64 lanes that transpose what they load.
constexpr BankModel wideBanks{.laneBits = 6, .banks = 64};

TEST(SharedAccessPlan, RandomLayoutsInColumns) {
  Random random(5);
  unsigned columns = 0;
  for (unsigned i = 0; i < 1500 && !HasFailure(); ++i) {
    // The first lanes hold neighbours; all other bits of the element are anywhere.
    unsigned elementBits = 8u << below(random, 2), registers = 2 + below(random, 4);
    unsigned warps = below(random, 2), rest = registers + 2 + warps;
    SmallVector<DimBits> outs{{Dim::axis(0), 4 + rest / 3}, {Dim::axis(1), rest - rest / 3}};
    SmallVector<uint64_t> others;
    for (unsigned bit = 0; bit < rest; ++bit)
      others.push_back(uint64_t(1) << (4 + bit));
    std::shuffle(others.begin(), others.end(), random);
    SmallVector<uint64_t> bases(llvm::ArrayRef(others).take_front(registers));
    for (unsigned bit = 0; bit < 4; ++bit)
      bases.push_back(uint64_t(1) << bit);
    bases.append(others.begin() + registers, others.end());
    // Some lanes and registers hold copies.
    if (below(random, 4) == 0)
      bases[registers + 2 + below(random, 4)] = 0;
    if (below(random, 4) == 0)
      bases[below(random, registers)] = bases[0];
    LinearLayout tensor = LinearLayout::fromMatrix(
        F2Matrix::fromColumns(bases, 4 + rest),
        {{Dim::reg(), registers}, {Dim::lane(), 6}, {Dim::warp(), warps}}, outs);
    SmallVector<int64_t> shape{int64_t(1) << outs[0].bits, int64_t(1) << outs[1].bits};
    SwizzledSharedParams params{
        1u << (1 + below(random, 4)), 1u << below(random, 3), 1u << below(random, 4), {0, 1}};
    LinearLayout buffer = swizzledSharedLayout(shape, params);
    if (!tensor.isSurjective())
      continue;
    SharedAccessPlan plan = check(tensor.unsqueezeIn(Dim::block()), buffer, elementBits,
                                  MatrixMoves::Columns, wideBanks);
    columns += plan.instruction == SharedInstruction::Columns;
  }
  EXPECT_GT(columns, 300u);
}

TEST(SharedAccessPlan, DotOperandsLoadColumns) {
  // Operands whose elements along K are not adjacent: 16 bytes are written at once, and columns are
  // read, both without conflicts. Adjacent ones are read in vectors.
  for (unsigned size : {16u, 32u})
    for (unsigned elementBits : {8u, 16u, 32u})
      for (unsigned opIdx : {0u, 1u})
        for (bool kContiguous : {false, true})
          for (int64_t k : {64, 128}) {
            unsigned kWidth = 128 / elementBits, fastest = kContiguous == (opIdx == 0) ? 1 : 0;
            AmdMfmaParams mma{4, {2, 2}, {size, size, 1024 / size * 8 / elementBits}, true, {1, 1}};
            SmallVector<int64_t> shape{128, 128};
            shape[1 - opIdx] = k;
            BlockedParams blocked{{1, 1}, {1, 1}, {1, 1}, {fastest, 1 - fastest}};
            blocked.sizePerThread[fastest] = kWidth;
            blocked.threadsPerWarp[fastest] = shape[fastest] / kWidth;
            blocked.threadsPerWarp[1 - fastest] = 64 / blocked.threadsPerWarp[fastest];
            blocked.warpsPerCTA[1 - fastest] = 4;
            LinearLayout writer = blockedLayout(shape, blocked);
            LinearLayout reader = dotOperandLayout(shape, opIdx, kWidth, mma);
            MachineModel machine;
            machine.banks = wideBanks;
            SharedBufferUse use{.shape = shape,
                                .order = {fastest, 1 - fastest},
                                .elementBits = elementBits,
                                .writers = {writer},
                                .readers = {reader},
                                .matrixLoads = MatrixMoves::Columns,
                                .machine = machine};
            machine.matrixLoads = MatrixMoves::Columns;
            LinearLayout buffer = swizzledSharedLayout(shape, chooseSwizzle(use));
            // Rows of 16 elements conflict in every swizzle of this kind.
            if (size == 16 && elementBits < 32 && !kContiguous)
              buffer = *planBuffer(writer, reader, elementBits, machine);
            SCOPED_TRACE(testing::Message()
                         << "size " << size << " operand " << opIdx << " bits " << elementBits
                         << " k " << k << " contiguous " << kContiguous << buffer.str());
            SharedAccessPlan plan =
                check(reader, buffer, elementBits, MatrixMoves::Columns, wideBanks);
            bool isColumns = !kContiguous && elementBits < 32;
            EXPECT_EQ(plan.instruction,
                      isColumns ? SharedInstruction::Columns : SharedInstruction::Vector);
            SharedAccessPlan writes =
                check(writer, buffer, elementBits, MatrixMoves::None, wideBanks);
            if (!isColumns)
              continue;
            EXPECT_EQ(plan.width * elementBits, 64u);
            EXPECT_EQ(writes.width * elementBits, 128u);
            unsigned line = wideBanks.lineBytes();
            LinearLayout reads = *offsetsInBuffer(reader, buffer);
            SharedAccessCost cost = costOfSharedAccess(
                reads, elementBits, {.matrix = MatrixMoves::Columns, .banks = wideBanks});
            EXPECT_EQ(cost.wavefronts, cost.instructions * 64 * 8 / line);
            EXPECT_EQ(cost.permutes + cost.moves, 0u);
          }
}

TEST(SharedAccessPlan, SwizzleOfTheUsualOperand) {
  NvidiaMmaParams mma{2, 0, {2, 2}, {16, 8}};
  BlockedParams blocked{{1, 8}, {4, 8}, {4, 1}, {1, 0}};
  SwizzledSharedParams params = chooseSwizzle({.shape = {128, 64},
                                               .order = {1, 0},
                                               .elementBits = 16,
                                               .writers = {blockedLayout({128, 64}, blocked)},
                                               .readers = {dotOperandLayout({128, 64}, 0, 2, mma)},
                                               .matrixLoads = MatrixMoves::Rows});
  EXPECT_EQ(params, (SwizzledSharedParams{8, 1, 8, {1, 0}}));
}

} // namespace

TEST(SharedAccessPlan, WideLoadsCountLanesInTheMachinesOrder) {
  // 64 lanes with 16 bytes each of 16-bit elements. Lanes 0 to 7 use all banks once; lane 20 uses
  // the banks of lane 0.
  DimBases ins[] = {{Dim::reg(), {{1}, {2}, {4}}},
                    {Dim::lane(), {{8}, {16}, {32}, {64}, {32 ^ 128}, {256}}},
                    {Dim::warp(), {}}};
  DimBits offset{Dim::offset(), 9};
  std::optional<LinearLayout> map = LinearLayout::fromBases(ins, llvm::ArrayRef<DimBits>(offset));
  ASSERT_TRUE(map);
  BankModel banks{.laneBits = 6};
  EXPECT_EQ(costOfSharedAccess(*map, 16, {.banks = banks, .isLoad = true}).wavefronts, 8u);
  banks.widestLoadLanes = {1, 2, 20, 4, 8, 32};
  EXPECT_EQ(costOfSharedAccess(*map, 16, {.banks = banks}).wavefronts, 8u); // a store
  EXPECT_EQ(costOfSharedAccess(*map, 16, {.banks = banks, .isLoad = true}).wavefronts, 16u);
}
