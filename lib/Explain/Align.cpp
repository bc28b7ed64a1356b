//===- Align.cpp - a long common subsequence of two lists -----------------===//
// Items that occur once in both lists are anchors; the longest ascending run of them is kept, and
// the gaps between are aligned the same way, until they are small enough for the exact algorithm.
//===----------------------------------------------------------------------===//
#include "TextDiff.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace tessera;

namespace {
using Pair = std::pair<size_t, size_t>;

/// Two ranges that remain to be aligned.
struct Gap {
  size_t aBegin, aEnd, bBegin, bEnd;
};

class Aligner {
public:
  Aligner(llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b) : a(a), b(b) {}
  std::vector<Pair> run();

private:
  void align(Gap gap);
  /// Matches what is equal at both ends, and shortens the gap.
  void trim(Gap &gap);
  std::vector<Pair> findAnchors(const Gap &gap) const;
  void alignExactly(const Gap &gap);
  void alignGreedily(const Gap &gap);

  llvm::ArrayRef<unsigned> a, b;
  std::vector<Gap> waiting;
  std::vector<Pair> found;
};
} // namespace

/// Gaps of so few pairs are aligned exactly at once.
static constexpr size_t kFewPairs = 10'000;
/// The number of pairs that the exact algorithm compares at most.
static constexpr size_t kMaxPairs = 250'000;

void Aligner::trim(Gap &gap) {
  while (gap.aBegin < gap.aEnd && gap.bBegin < gap.bEnd && a[gap.aBegin] == b[gap.bBegin])
    found.emplace_back(gap.aBegin++, gap.bBegin++);
  while (gap.aBegin < gap.aEnd && gap.bBegin < gap.bEnd && a[gap.aEnd - 1] == b[gap.bEnd - 1])
    found.emplace_back(--gap.aEnd, --gap.bEnd);
}

/// The longest run of pairs that ascends in both places; `pairs` ascends in the first.
static std::vector<Pair> longestAscending(llvm::ArrayRef<Pair> pairs) {
  std::vector<size_t> tails, previous(pairs.size(), ~size_t(0));
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto at = std::partition_point(tails.begin(), tails.end(), [&](size_t tail) {
      return pairs[tail].second < pairs[i].second;
    });
    if (at != tails.begin())
      previous[i] = *std::prev(at);
    if (at == tails.end())
      tails.push_back(i);
    else
      *at = i;
  }
  std::vector<Pair> run;
  for (size_t i = tails.empty() ? ~size_t(0) : tails.back(); i != ~size_t(0); i = previous[i])
    run.push_back(pairs[i]);
  std::reverse(run.begin(), run.end());
  return run;
}

std::vector<Pair> Aligner::findAnchors(const Gap &gap) const {
  struct Places {
    unsigned inA = 0, inB = 0;
    size_t b = 0;
  };
  llvm::DenseMap<unsigned, Places> places;
  for (size_t i = gap.aBegin; i < gap.aEnd; ++i)
    ++places[a[i]].inA;
  for (size_t j = gap.bBegin; j < gap.bEnd; ++j) {
    Places &place = places[b[j]];
    ++place.inB;
    place.b = j;
  }
  std::vector<Pair> unique;
  for (size_t i = gap.aBegin; i < gap.aEnd; ++i)
    if (Places place = places.lookup(a[i]); place.inA == 1 && place.inB == 1)
      unique.emplace_back(i, place.b);
  return longestAscending(unique);
}

void Aligner::alignExactly(const Gap &gap) {
  size_t n = gap.aEnd - gap.aBegin, m = gap.bEnd - gap.bBegin;
  // lengths[i][j]: of the longest common subsequence of what follows i and j.
  std::vector<uint32_t> lengths((n + 1) * (m + 1), 0);
  auto length = [&](size_t i, size_t j) -> uint32_t & { return lengths[i * (m + 1) + j]; };
  auto isEqual = [&](size_t i, size_t j) { return a[gap.aBegin + i] == b[gap.bBegin + j]; };
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;)
      length(i, j) =
          isEqual(i, j) ? length(i + 1, j + 1) + 1 : std::max(length(i + 1, j), length(i, j + 1));
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (isEqual(i, j))
      found.emplace_back(gap.aBegin + i++, gap.bBegin + j++);
    else if (length(i + 1, j) >= length(i, j + 1))
      ++i;
    else
      ++j;
  }
}

/// Takes the next equal item within reach, for gaps of thousands of lines that repeat each other.
void Aligner::alignGreedily(const Gap &gap) {
  constexpr size_t reach = 64;
  size_t j = gap.bBegin;
  for (size_t i = gap.aBegin; i < gap.aEnd && j < gap.bEnd; ++i)
    for (size_t k = j; k < std::min(gap.bEnd, j + reach); ++k)
      if (a[i] == b[k]) {
        found.emplace_back(i, k);
        j = k + 1;
        break;
      }
}

void Aligner::align(Gap gap) {
  trim(gap);
  size_t n = gap.aEnd - gap.aBegin, m = gap.bEnd - gap.bBegin;
  if (n == 0 || m == 0)
    return;
  if (n * m <= kFewPairs)
    return alignExactly(gap);
  std::vector<Pair> anchors = findAnchors(gap);
  if (anchors.empty())
    return n * m <= kMaxPairs ? alignExactly(gap) : alignGreedily(gap);
  for (const Pair &anchor : anchors) {
    found.push_back(anchor);
    waiting.push_back({gap.aBegin, anchor.first, gap.bBegin, anchor.second});
    gap.aBegin = anchor.first + 1;
    gap.bBegin = anchor.second + 1;
  }
  waiting.push_back(gap);
}

std::vector<Pair> Aligner::run() {
  waiting.push_back({0, a.size(), 0, b.size()});
  while (!waiting.empty()) {
    Gap gap = waiting.back();
    waiting.pop_back();
    align(gap);
  }
  std::sort(found.begin(), found.end());
  return std::move(found);
}

std::vector<Pair> tessera::alignEqual(llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b) {
  return Aligner(a, b).run();
}
