//===- AlignTest.cpp - alignEqual against brute force ---------------------===//
#include "TextDiff.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;

namespace {

using List = std::vector<unsigned>;

size_t longestCommon(const List &a, const List &b) {
  std::vector<std::vector<size_t>> lengths(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      lengths[i][j] =
          a[i] == b[j] ? lengths[i + 1][j + 1] + 1 : std::max(lengths[i + 1][j], lengths[i][j + 1]);
  return lengths[0][0];
}

void expectCommonSubsequence(const List &a, const List &b) {
  size_t i = 0, j = 0;
  for (auto [x, y] : alignEqual(a, b)) {
    ASSERT_LT(x, a.size());
    ASSERT_LT(y, b.size());
    EXPECT_EQ(a[x], b[y]);
    EXPECT_GE(x, i);
    EXPECT_GE(y, j);
    i = x + 1;
    j = y + 1;
  }
}

TEST(Align, AllShortListsHaveCommonSubsequences) {
  // All pairs of lists of up to four items out of three.
  std::vector<List> lists = {{}};
  for (size_t first = 0, length = 0; length < 4; ++length) {
    size_t last = lists.size();
    for (; first < last; ++first)
      for (unsigned item : {1u, 2u, 3u}) {
        lists.push_back(lists[first]);
        lists.back().push_back(item);
      }
  }
  for (const List &a : lists)
    for (const List &b : lists)
      expectCommonSubsequence(a, b);
}

TEST(Align, ListsWithoutUniqueItemsAreAlignedExactly) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 200; ++round) {
    List a, b;
    for (unsigned i = 0; i < 12; ++i) {
      a.insert(a.end(), {unsigned(random() % 2), 5, 5});
      b.insert(b.end(), {unsigned(random() % 2), 5, 5});
    }
    expectCommonSubsequence(a, b);
    EXPECT_EQ(alignEqual(a, b).size(), longestCommon(a, b));
  }
}

TEST(Align, EditsOfALongListAreFound) {
  List a;
  for (unsigned i = 0; i < 50'000; ++i)
    a.push_back(i % 1000);
  List b = a;
  b.erase(b.begin() + 20'000, b.begin() + 20'010);
  b.insert(b.begin() + 40'000, {7777, 7778});
  expectCommonSubsequence(a, b);
  EXPECT_EQ(alignEqual(a, b).size(), a.size() - 10);
}

TEST(Align, NothingInCommon) {
  EXPECT_TRUE(alignEqual(List{1, 2, 3}, List{4, 5}).empty());
  EXPECT_TRUE(alignEqual(List{}, List{4, 5}).empty());
  EXPECT_TRUE(alignEqual(List{1}, List{}).empty());
}

} // namespace
