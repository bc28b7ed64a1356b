//===- BlockedChoiceTest.cpp - default and coalesced blocked layouts ------===//
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "EncodingText.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::test;
using llvm::SmallVector;

TEST(BlockedChoice, DefaultsAreTheReferences) {
  auto buffer = llvm::MemoryBuffer::getFile(TESSERA_LAYOUT_VECTORS "/default-blocked.jsonl");
  ASSERT_TRUE(bool(buffer));
  unsigned lines = 0;
  for (llvm::line_iterator line(**buffer); !line.is_at_end(); ++line, ++lines) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(*line);
    ASSERT_TRUE(bool(value));
    const llvm::json::Object &object = *value->getAsObject();
    EncodedType type = parseEncodedType(*object.getString("type"));
    ThreadCounts threads{.numWarps = unsigned(*object.getInteger("warps")),
                         .threadsPerWarp = unsigned(*object.getInteger("threads"))};
    BlockedParams params = defaultBlocked(type.shape, threads, *object.getInteger("ctas"));
    EXPECT_FALSE(whyInvalid(params, type.shape));
    EXPECT_EQ(params, blockedParams(type.encoding)) << line->str();
  }
  EXPECT_GE(lines, 80u);
}

TEST(BlockedChoice, CoalescedVectorAdd) {
  // 1024 f32 on 4 warps: 16 bytes a thread.
  BlockedParams params = coalescedBlocked({1024}, {0}, 4, {.numWarps = 4});
  EXPECT_EQ(params.sizePerThread, (SmallVector<unsigned>{4}));
  EXPECT_EQ(params.threadsPerWarp, (SmallVector<unsigned>{32}));
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{4}));
}

TEST(BlockedChoice, NoThreadGoesIdleForWiderVectors) {
  EXPECT_EQ(coalescedBlocked({128}, {0}, 4, {.numWarps = 4}).sizePerThread[0], 1u);
  EXPECT_EQ(coalescedBlocked({256}, {0}, 4, {.numWarps = 4}).sizePerThread[0], 2u);
  EXPECT_EQ(coalescedBlocked({16}, {0}, 4, {.numWarps = 4}).sizePerThread[0], 1u);
}

TEST(BlockedChoice, CoalescedMatrix) {
  BlockedParams params = coalescedBlocked({128, 64}, {1, 0}, 8, {.numWarps = 4});
  EXPECT_EQ(params.sizePerThread, (SmallVector<unsigned>{1, 8}));
  EXPECT_EQ(params.threadsPerWarp, (SmallVector<unsigned>{4, 8}));
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{4, 1}));
}

TEST(BlockedChoice, SingleElementsLieInFewRows) {
  // A thread with single elements of a 64 by 64 tile has two of each of 16 rows, not one of
  // each of 32: their addresses differ by a constant.
  BlockedParams params = coalescedBlocked({64, 64}, {1, 0}, 1, {.numWarps = 4});
  EXPECT_EQ(params.sizePerThread, (SmallVector<unsigned>{1, 1}));
  EXPECT_EQ(params.threadsPerWarp, (SmallVector<unsigned>{1, 32}));
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{4, 1}));
  EXPECT_FALSE(whyInvalid(params, {64, 64}));
  // Rows for two of the four warps.
  params = coalescedBlocked({2, 256}, {1, 0}, 1, {.numWarps = 4});
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{2, 2}));
  // Nothing to gain: one element a thread.
  params = coalescedBlocked({2, 64}, {1, 0}, 1, {.numWarps = 4});
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{2, 2}));
  params = coalescedBlocked({4, 8, 64}, {2, 1, 0}, 1, {.numWarps = 16});
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{2, 8, 1}));
}

TEST(BlockedChoice, ScatteredTilesAreSquare) {
  // 128 by 32 on 8 warps: four rows and four columns a thread, not one and sixteen.
  BlockedParams params = scatteredBlocked({128, 32}, {0, 1}, {.numWarps = 8});
  EXPECT_EQ(params.sizePerThread, (SmallVector<unsigned>{1, 4}));
  EXPECT_EQ(params.threadsPerWarp, (SmallVector<unsigned>{32, 1}));
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{1, 8}));
  EXPECT_FALSE(whyInvalid(params, {128, 32}));
  EXPECT_EQ(params.order, (SmallVector<unsigned>{0, 1}));
  // Warps split the longer dimension of the tile first, down to one element; further warps
  // replicate it.
  EXPECT_EQ(scatteredBlocked({128, 2}, {0, 1}, {.numWarps = 2}).warpsPerCTA,
            (SmallVector<unsigned>{2, 1}));
  EXPECT_EQ(scatteredBlocked({128, 2}, {0, 1}, {.numWarps = 8}).warpsPerCTA,
            (SmallVector<unsigned>{4, 2}));
  params = scatteredBlocked({128, 2}, {0, 1}, {.numWarps = 16});
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{4, 4}));
  EXPECT_FALSE(whyInvalid(params, {128, 2}));
  // Fewer elements than lanes, and one dimension alone.
  params = scatteredBlocked({4, 2}, {0, 1}, {.numWarps = 4});
  EXPECT_EQ(params.threadsPerWarp, (SmallVector<unsigned>{4, 8}));
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{1, 4}));
  EXPECT_FALSE(whyInvalid(params, {4, 2}));
  EXPECT_EQ(scatteredBlocked({1024}, {0}, {.numWarps = 4}),
            coalescedBlocked({1024}, {0}, 1, {.numWarps = 4}));
  params = scatteredBlocked({8, 64}, {0, 1}, {.numWarps = 4});
  EXPECT_EQ(params.sizePerThread, (SmallVector<unsigned>{1, 1}));
  EXPECT_EQ(params.threadsPerWarp, (SmallVector<unsigned>{8, 4}));
  EXPECT_EQ(params.warpsPerCTA, (SmallVector<unsigned>{1, 4}));
}

TEST(BlockedChoice, OrderByContiguity) {
  EXPECT_EQ(orderByContiguity({1, 64}), (SmallVector<unsigned>{1, 0}));
  EXPECT_EQ(orderByContiguity({64, 1}), (SmallVector<unsigned>{0, 1}));
  EXPECT_EQ(orderByContiguity({1, 1, 1}), (SmallVector<unsigned>{2, 1, 0}));
  EXPECT_EQ(orderByContiguity({4, 16, 4}), (SmallVector<unsigned>{1, 2, 0}));
}
