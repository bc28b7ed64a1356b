//===- DotRegistersTest.cpp - multiply-adds of a product, thread by thread -===//
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "gtest/gtest.h"
#include <set>

using namespace tessera;
using llvm::SmallVector;

namespace {

using Index = SmallVector<uint64_t, 4>;

Index elementAt(const LinearLayout &layout, unsigned reg, unsigned lane, unsigned warp) {
  Index index;
  for (const DimIndex &c :
       layout.apply({{Dim::reg(), reg}, {Dim::lane(), lane}, {Dim::warp(), warp}}))
    index.push_back(c.index);
  return index;
}

/// Every thread multiplies, for each of its elements, the whole of K of the right row and column.
void checkPlan(llvm::ArrayRef<int64_t> d, int64_t inner, const BlockedParams &params) {
  unsigned rank = d.size();
  SmallVector<int64_t> a(d), b(d);
  a[rank - 1] = b[rank - 2] = inner;
  LinearLayout inA = dotOperandLayout(a, 0, params), inB = dotOperandLayout(b, 1, params);
  LinearLayout inD = blockedLayout(d, params);
  auto plan = planFma(inA, inB, inD);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->inner, inner);
  ASSERT_EQ(plan->holder.size(), inD.inSize(Dim::reg()));
  for (unsigned warp = 0; warp < inD.inSize(Dim::warp()); ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::set<std::vector<uint64_t>> seen;
      for (unsigned i = 0; i < plan->results.size(); ++i) {
        Index at = elementAt(inD, plan->results[i], lane, warp);
        EXPECT_TRUE(seen.insert({at.begin(), at.end()}).second) << "computed twice";
        for (int64_t k = 0; k < inner; ++k) {
          Index left = at, right = at;
          left[rank - 1] = right[rank - 2] = k;
          EXPECT_EQ(elementAt(inA, plan->a[i * inner + k], lane, warp), left);
          EXPECT_EQ(elementAt(inB, plan->b[i * inner + k], lane, warp), right);
        }
      }
      for (unsigned reg = 0; reg < plan->holder.size(); ++reg)
        EXPECT_EQ(elementAt(inD, reg, lane, warp),
                  elementAt(inD, plan->results[plan->holder[reg]], lane, warp));
    }
}

TEST(DotRegisters, BlockedResults) {
  for (int64_t m : {1, 4, 32, 64})
    for (int64_t n : {1, 8, 64})
      for (unsigned perThread : {1u, 2u, 4u})
        for (unsigned warps : {1u, 4u}) {
          SmallVector<unsigned> sizes{perThread, perThread}, order{1, 0};
          checkPlan({m, n}, 8, blockedForShape({m, n}, sizes, order, {warps, 32}));
          if (HasFailure())
            FAIL() << m << " x " << n << ", " << perThread << " per thread, " << warps << " warps";
        }
}

TEST(DotRegisters, Batches) {
  checkPlan({4, 8, 16}, 4, blockedForShape({4, 8, 16}, {1, 2, 2}, {2, 1, 0}, {4, 32}));
  checkPlan({2, 1, 4}, 16, blockedForShape({2, 1, 4}, {1, 1, 1}, {2, 1, 0}, {2, 32}));
}

TEST(DotRegisters, DeclinesOperandsOfOtherThreads) {
  BlockedParams one = blockedForShape({32, 32}, {4, 4}, {1, 0}, {4, 32});
  BlockedParams other = blockedForShape({32, 32}, {1, 1}, {1, 0}, {4, 32});
  LinearLayout a = dotOperandLayout({32, 8}, 0, one), b = dotOperandLayout({8, 32}, 1, one);
  LinearLayout d = blockedLayout({32, 32}, one);
  EXPECT_TRUE(planFma(a, b, d));
  EXPECT_FALSE(planFma(dotOperandLayout({32, 8}, 0, other), b, d));
  EXPECT_FALSE(planFma(a, dotOperandLayout({8, 32}, 1, other), d));
  // K is spread over lanes.
  EXPECT_FALSE(planFma(blockedLayout({32, 8}, one), b, d));
}

} // namespace
