//===- AsyncCopyTest.cpp - plans of copies against every element ----------===//
#include "tessera/TTGIR/Layout/AsyncCopy.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include <gtest/gtest.h>

using namespace tessera;

namespace {

/// Every element goes where the buffer has it, and every copy moves a run: in memory that
/// is contiguous along the layout's first dimension, and in the buffer.
void checkPlan(const LinearLayout &pointers, const LinearLayout &buffer,
               const AsyncCopyPlan &plan) {
  Dim run = Dim::axis(dimensionOrder(pointers).front());
  uint64_t threads = pointers.inSize(Dim::lane()) * pointers.inSize(Dim::warp());
  for (uint64_t thread = 0; thread < threads; ++thread)
    for (uint64_t reg = 0; reg < pointers.inSize(Dim::reg()); ++reg) {
      uint64_t lane = thread % pointers.inSize(Dim::lane()),
               warp = thread / pointers.inSize(Dim::lane());
      auto place = [&](uint64_t r) -> Point {
        return {{Dim::reg(), r}, {Dim::lane(), lane}, {Dim::warp(), warp}};
      };
      uint64_t offset = plan.offsets.apply(place(reg), Dim::offset());
      Point element = pointers.apply(place(reg));
      EXPECT_EQ(buffer.apply({{Dim::offset(), offset}}), element);
      uint64_t first = reg;
      for (unsigned bit : plan.registerBits)
        first &= ~(uint64_t(1) << bit);
      if (first != reg)
        continue;
      for (uint64_t i = 0; i < plan.width; ++i) {
        uint64_t member = first;
        for (unsigned bit = 0; bit < plan.registerBits.size(); ++bit)
          member |= (i >> bit & 1) << plan.registerBits[bit];
        EXPECT_EQ(plan.offsets.apply(place(member), Dim::offset()), offset + i);
        EXPECT_EQ(pointers.apply(place(member), run), pointers.apply(place(first), run) + i);
      }
      EXPECT_EQ(offset % plan.width, 0u);
      EXPECT_EQ(pointers.apply(place(first), run) % plan.width, 0u);
    }
}

TEST(AsyncCopy, EveryElementArrives) {
  const unsigned sizes[] = {4, 8, 16};
  unsigned found = 0;
  for (unsigned perThread : {1, 4, 8})
    for (unsigned fastest : {0, 1})
      for (unsigned bufferFastest : {0, 1})
        for (unsigned vec : {1, 8})
          for (unsigned maxPhase : {1, 8})
            for (int64_t rows : {2, 16})
              for (unsigned bytes : {1, 2, 4, 8})
                for (unsigned contiguity : {1, 2, 4, 16}) {
                  llvm::SmallVector<int64_t> shape{rows, 64};
                  BlockedParams blocked{.sizePerThread = {1, 1},
                                        .threadsPerWarp = {4, 8},
                                        .warpsPerCTA = {2, 1},
                                        .order = {fastest, 1 - fastest}};
                  blocked.sizePerThread[fastest] = perThread;
                  SwizzledSharedParams swizzle{
                      vec, 1, maxPhase, {bufferFastest, 1 - bufferFastest}};
                  if (whyInvalid(swizzle, shape))
                    continue;
                  LinearLayout pointers = blockedLayout(shape, blocked);
                  LinearLayout buffer = swizzledSharedLayout(shape, swizzle);
                  auto plan = planAsyncCopy(pointers, buffer, contiguity, bytes, sizes);
                  // A copy must fill an instruction, from consecutive addresses.
                  if (contiguity * bytes < 4)
                    EXPECT_FALSE(plan);
                  if (!plan)
                    continue;
                  ++found;
                  EXPECT_TRUE(llvm::is_contained(sizes, plan->width * bytes));
                  EXPECT_LE(plan->width, contiguity);
                  checkPlan(pointers, buffer, *plan);
                }
  EXPECT_GT(found, 100u);
}

TEST(AsyncCopy, TakesTheWidest) {
  const unsigned sizes[] = {4, 8, 16};
  LinearLayout pointers = blockedLayout(
      {64, 64},
      {.sizePerThread = {1, 8}, .threadsPerWarp = {4, 8}, .warpsPerCTA = {4, 1}, .order = {1, 0}});
  LinearLayout buffer = swizzledSharedLayout({64, 64}, {8, 1, 8, {1, 0}});
  EXPECT_EQ(planAsyncCopy(pointers, buffer, 8, 2, sizes)->width, 8u);
  EXPECT_EQ(planAsyncCopy(pointers, buffer, 4, 2, sizes)->width, 4u);
  // Elements that are not adjacent in the buffer cannot be copied in runs.
  LinearLayout across = swizzledSharedLayout({64, 64}, {8, 1, 8, {0, 1}});
  EXPECT_FALSE(planAsyncCopy(pointers, across, 8, 2, sizes));
  EXPECT_EQ(planAsyncCopy(pointers, across, 8, 4, sizes)->width, 1u);
}

} // namespace
