//===- ShufflePlan.cpp - plan a layout conversion by shuffles ------------===//
// See ShufflePlan.h for the algebra. Two choices of g are tried: one that makes M the
// identity, and one that moves as few registers as possible.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/ShufflePlan.h"
#include "Subspace.h"
#include "llvm/ADT/DenseSet.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

using Vectors = SmallVector<uint64_t>;

namespace {
/// The conversion's four submatrices, each a list of columns.
struct Blocks {
  Vectors a, c; // for each register bit of the result: register, lane of the source
  Vectors b, d; // for each lane bit
  unsigned sourceRegisters;
};
} // namespace

static uint64_t apply(ArrayRef<uint64_t> columns, uint64_t vector) {
  uint64_t result = 0;
  for (auto [bit, column] : llvm::enumerate(columns))
    if (vector >> bit & 1)
      result ^= column;
  return result;
}

static Vectors identity(unsigned bits) {
  Vectors columns;
  for (unsigned bit = 0; bit < bits; ++bit)
    columns.push_back(uint64_t(1) << bit);
  return columns;
}

bool ShufflePlan::isXor() const { return lanes == identity(lanes.size()); }

/// Returns x -> f(g(x)) + k(x), for each bit of x.
static Vectors composeAdd(ArrayRef<uint64_t> f, ArrayRef<uint64_t> g, ArrayRef<uint64_t> k) {
  Vectors result;
  for (auto [x, y] : llvm::zip_equal(g, k))
    result.push_back(apply(f, x) ^ y);
  return result;
}

//===----------------------------------------------------------------------===//
// Choosing g
//===----------------------------------------------------------------------===//

/// Returns g such that C g + D is the identity.
static std::optional<Vectors> stayInLane(const Blocks &blocks) {
  unsigned lanes = blocks.d.size();
  Vectors wanted;
  for (unsigned bit = 0; bit < lanes; ++bit)
    wanted.push_back(blocks.d[bit] ^ uint64_t(1) << bit);
  std::optional<F2Matrix> g =
      F2Matrix::fromColumns(blocks.c, lanes).solve(F2Matrix::fromColumns(wanted, lanes));
  if (!g)
    return std::nullopt;
  Vectors columns;
  for (unsigned bit = 0; bit < lanes; ++bit)
    columns.push_back(g->column(bit));
  return columns;
}

/// Returns g that is zero except on the kernel of D: the lanes in the kernel read their registers
/// in another order, so that they read from different lanes.
static std::optional<Vectors> moveFewest(const Blocks &blocks) {
  unsigned lanes = blocks.d.size();
  Subspace reached(blocks.d);
  Vectors kernel = Vectors(F2Matrix::fromColumns(blocks.d, lanes).kernel()), images;
  for (uint64_t lane : kernel) {
    uint64_t chosen = 0;
    // Lanes that are copies of each other read the same.
    if (apply(blocks.b, lane) != 0) {
      for (unsigned bit = 0; bit < blocks.c.size() && chosen == 0; ++bit)
        if (reached.insert(blocks.c[bit]))
          chosen = uint64_t(1) << bit;
      if (chosen == 0)
        return std::nullopt;
    }
    images.push_back(chosen);
  }
  // g(kernel[i]) = images[i], and zero on a complement of the kernel.
  Vectors basis = kernel;
  Subspace spanned(kernel);
  for (unsigned bit = 0; bit < lanes; ++bit)
    if (spanned.insert(uint64_t(1) << bit))
      basis.push_back(uint64_t(1) << bit);
  std::optional<F2Matrix> inverse = F2Matrix::fromColumns(basis, lanes).inverse();
  if (!inverse)
    return std::nullopt;
  images.resize(lanes, 0);
  Vectors columns;
  for (unsigned bit = 0; bit < lanes; ++bit)
    columns.push_back(apply(images, inverse->column(bit)));
  return columns;
}

/// Returns h with h m = n.
static std::optional<Vectors> factor(ArrayRef<uint64_t> m, ArrayRef<uint64_t> n, unsigned lanes,
                                     unsigned registers) {
  F2Matrix left = F2Matrix::fromColumns(m, lanes).transposed();
  F2Matrix right = F2Matrix::fromColumns(n, registers).transposed();
  std::optional<F2Matrix> h = left.solve(right);
  if (!h)
    return std::nullopt;
  Vectors columns;
  for (unsigned bit = 0; bit < lanes; ++bit)
    columns.push_back(h->row(bit));
  return columns;
}

/// Expresses a map from lanes to registers as a list of swaps: independent registers, each with the
/// lanes that use it.
static SmallVector<LaneSwap> asSwaps(ArrayRef<uint64_t> columns) {
  SmallVector<LaneSwap> swaps;
  for (auto [lane, column] : llvm::enumerate(columns)) {
    // Express the column by the registers that earlier columns use.
    Vectors bases;
    for (const LaneSwap &swap : swaps)
      bases.push_back(swap.registers);
    bases.push_back(column);
    SmallVector<uint64_t> relation = F2Matrix::fromColumns(bases, 64).kernel();
    if (column == 0)
      continue;
    if (relation.empty()) {
      swaps.push_back({column, uint64_t(1) << lane});
      continue;
    }
    for (unsigned i = 0; i < swaps.size(); ++i)
      if (relation[0] >> i & 1)
        swaps[i].lanes |= uint64_t(1) << lane;
  }
  return swaps;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// For each register bit, returns its component in span(kept) along span(packed). `kept` comes
/// first in the span of the words' own indices.
static Vectors projectAlong(ArrayRef<uint64_t> packed, ArrayRef<uint64_t> kept, unsigned bits) {
  Vectors basis(packed);
  basis.append(kept.begin(), kept.end());
  Subspace spanned(basis);
  for (unsigned bit = 0; bit < bits; ++bit)
    if (spanned.insert(uint64_t(1) << bit))
      basis.push_back(uint64_t(1) << bit);
  Vectors columns;
  std::optional<F2Matrix> inverse = F2Matrix::fromColumns(basis, bits).inverse();
  if (!inverse)
    return identity(bits);
  for (unsigned bit = 0; bit < bits; ++bit) {
    uint64_t at = inverse->column(bit), result = 0;
    for (unsigned i = packed.size(); i < basis.size(); ++i)
      if (at >> i & 1)
        result ^= basis[i];
    columns.push_back(result);
  }
  return columns;
}

/// Packs registers into words of at most 32 bits, along bits that stay in their lane and that no
/// swap uses.
static void packWords(ShufflePlan &plan, const Blocks &blocks, unsigned elementBits) {
  unsigned toBits = blocks.a.size();
  Vectors swappedTo, swappedFrom;
  for (const LaneSwap &swap : plan.after)
    swappedTo.push_back(swap.registers);
  for (const LaneSwap &swap : plan.before)
    swappedFrom.push_back(swap.registers);
  Subspace to(swappedTo), from(swappedFrom);
  for (unsigned bit = 0; bit < toBits && elementBits << plan.packedTo.size() < 32; ++bit) {
    uint64_t place = uint64_t(1) << bit;
    if (blocks.c[bit] != 0 || to.contains(place) || from.contains(plan.sent[bit]))
      continue;
    to.insert(place);
    from.insert(plan.sent[bit]);
    plan.packedTo.push_back(place);
    plan.packedFrom.push_back(plan.sent[bit]);
  }
  plan.wordFrom = projectAlong(plan.packedFrom, swappedFrom, blocks.sourceRegisters);
  plan.wordTo = projectAlong(plan.packedTo, swappedTo, toBits);
  // Words are sent whole: each element of a word must come from the same position in a word. The
  // positions from which word w would come are added to w, which a swap does not allow.
  auto placeOf = [&](uint64_t source) {
    uint64_t rest = source ^ apply(plan.wordFrom, source), place = 0;
    for (uint64_t i = 0; i < uint64_t(1) << plan.packedFrom.size(); ++i)
      if (apply(plan.packedFrom, i) == rest)
        place = i;
    return apply(plan.packedTo, place);
  };
  bool clashes = llvm::any_of(
      swappedTo, [&](uint64_t swapped) { return placeOf(apply(plan.sent, swapped)) != 0; });
  if (clashes) {
    plan.packedTo.clear();
    plan.packedFrom.clear();
    plan.wordTo = identity(toBits);
    plan.wordFrom = identity(blocks.sourceRegisters);
    return;
  }
  for (uint64_t &word : plan.wordTo)
    word ^= placeOf(apply(plan.sent, word));
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Returns the permutations of bytes that make a word of elements along `packed`, or take it apart.
/// Elements of consecutive registers share a word anyway.
static unsigned permutesOf(ArrayRef<uint64_t> packed, unsigned elementBits) {
  if (elementBits >= 32)
    return 0;
  if (packed.empty())
    return 1; // an element alone
  unsigned inOrder = 0;
  while (inOrder < packed.size() && packed[inOrder] == uint64_t(1) << inOrder)
    ++inOrder;
  return (1u << (packed.size() - inOrder)) - 1;
}

static void countCost(ShufflePlan &plan, unsigned registers, unsigned elementBits) {
  llvm::DenseSet<uint64_t> words, sources;
  bool isXor = plan.isXor();
  for (uint64_t reg = 0; reg < uint64_t(1) << registers; ++reg) {
    uint64_t word = apply(plan.wordTo, reg);
    if (!words.insert(word).second)
      continue;
    sources.insert(apply(plan.sent, word));
    if (!isXor || apply(plan.distance, word) != 0)
      ++plan.numShuffles;
  }
  plan.numSelects = plan.before.size() * sources.size() + plan.after.size() * words.size();
  plan.numPermutes = permutesOf(plan.packedFrom, elementBits) * sources.size() +
                     permutesOf(plan.packedTo, elementBits) * words.size();
}

static std::optional<ShufflePlan> planWith(const Blocks &blocks, ArrayRef<uint64_t> g,
                                           unsigned elementBits) {
  unsigned lanes = blocks.d.size();
  Vectors m = composeAdd(blocks.c, g, blocks.d), n = composeAdd(blocks.a, g, blocks.b);
  std::optional<Vectors> h = factor(m, n, lanes, blocks.sourceRegisters);
  if (!h)
    return std::nullopt;
  ShufflePlan plan;
  plan.before = asSwaps(*h);
  plan.after = asSwaps(g);
  plan.sent = composeAdd(*h, blocks.c, blocks.a);
  plan.distance = blocks.c;
  plan.lanes = m;
  packWords(plan, blocks, elementBits);
  countCost(plan, blocks.a.size(), elementBits);
  return plan;
}

std::optional<ShufflePlan> tessera::planShuffles(const LinearLayout &map, unsigned elementBits) {
  Blocks blocks;
  blocks.sourceRegisters = map.outBits(Dim::reg());
  for (unsigned bit = 0; bit < map.inBits(Dim::reg()); ++bit) {
    blocks.a.push_back(map.basis(Dim::reg(), bit, Dim::reg()));
    blocks.c.push_back(map.basis(Dim::reg(), bit, Dim::lane()));
  }
  for (unsigned bit = 0; bit < map.inBits(Dim::lane()); ++bit) {
    blocks.b.push_back(map.basis(Dim::lane(), bit, Dim::reg()));
    blocks.d.push_back(map.basis(Dim::lane(), bit, Dim::lane()));
  }
  std::optional<ShufflePlan> best;
  for (auto choose : {stayInLane, moveFewest}) {
    std::optional<Vectors> g = choose(blocks);
    std::optional<ShufflePlan> plan = g ? planWith(blocks, *g, elementBits) : std::nullopt;
    auto cost = [](const ShufflePlan &p) {
      return 2 * p.numShuffles + p.numSelects + p.numPermutes;
    };
    if (plan && (!best || cost(*plan) < cost(*best)))
      best = plan;
  }
  return best;
}
