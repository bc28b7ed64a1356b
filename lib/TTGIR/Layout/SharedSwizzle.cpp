//===- SharedSwizzle.cpp - choose the swizzle of a buffer between two layouts -===//
// See SharedSwizzle.h. Candidates differ in their low bits; each is completed in the same way, and
// the one whose accesses cost least is chosen.
//===----------------------------------------------------------------------===//
#include "SharedSwizzle.h"
#include "Subspace.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

using Vectors = SmallVector<uint64_t>;

//===----------------------------------------------------------------------===//
// Registers of both sides
//===----------------------------------------------------------------------===//

static Subspace threadsOf(const ExchangeSide &side) {
  Subspace threads(side.lanes);
  threads.insert(side.warps);
  return threads;
}

/// Returns the span of the threads of both sides.
static Subspace allThreads(const ExchangeProblem &problem) {
  Subspace threads = threadsOf(problem.store);
  threads.insert(threadsOf(problem.load).basis());
  return threads;
}

/// Returns the vectors in the registers of both sides that no thread bit contains.
static Vectors commonRegisters(const ExchangeProblem &problem) {
  Vectors preferred = problem.load.registers;
  preferred.append(problem.store.registers);
  Subspace taken = allThreads(problem);
  Vectors result;
  for (uint64_t vector :
       intersect(Subspace(problem.store.registers), Subspace(problem.load.registers), preferred))
    if (taken.insert(vector))
      result.push_back(vector);
  return result;
}

static unsigned maxVectorBits(const ExchangeProblem &problem) {
  return llvm::Log2_32(std::max(1u, problem.maxVectorBits / problem.elementBits));
}

Vectors tessera::chooseRounds(const ExchangeProblem &problem, uint64_t wanted, uint64_t limit) {
  Vectors common = commonRegisters(problem);
  uint64_t bytes = (uint64_t(1) << problem.bits) * problem.elementBits / 8;
  // The first common registers make accesses wide.
  Vectors rounds;
  while (!common.empty() && bytes > wanted &&
         (common.size() > maxVectorBits(problem) || bytes > limit)) {
    rounds.push_back(common.pop_back_val());
    bytes /= 2;
  }
  return rounds;
}

//===----------------------------------------------------------------------===//
// Completing a candidate
//===----------------------------------------------------------------------===//

namespace {
/// Coordinates with respect to a basis.
class Coordinates {
public:
  Coordinates(ArrayRef<uint64_t> basis, unsigned bits)
      : inverse(F2Matrix::fromColumns(basis, bits).inverse().value_or(F2Matrix::identity(bits))) {}
  uint64_t of(uint64_t vector) const { return inverse.apply(vector); }

private:
  F2Matrix inverse;
};

/// The lanes of a side that are processed together, and the number of low bits that do not
/// distinguish them, because one instruction covers them.
struct Phase {
  Vectors lanes;
  unsigned covered;
};

struct Candidate {
  Vectors low;
  Vectors rest; // vectors that the higher bits of the offset should span, best first
  Phase store, load;
};
} // namespace

/// Returns the members of span(phase) without low bits beyond the covered ones, in coordinates
/// above the low bits.
static Subspace aboveLowBits(const Phase &phase, const Coordinates &coordinates, unsigned lowBits) {
  constexpr unsigned half = 32;
  Subspace all, result;
  for (uint64_t lane : phase.lanes) {
    uint64_t at = coordinates.of(lane);
    uint64_t low = at & llvm::maskTrailingOnes<uint64_t>(lowBits) &
                   ~llvm::maskTrailingOnes<uint64_t>(phase.covered);
    all.insert(low << half | at >> lowBits);
  }
  for (uint64_t vector : all.basis())
    if (vector >> half == 0)
      result.insert(vector);
  return result;
}

/// Returns vectors of `space` that complete `part` to a basis of it.
static Vectors complete(const Subspace &part, ArrayRef<uint64_t> space) {
  Subspace known = part;
  Vectors result;
  for (uint64_t vector : space)
    if (known.insert(vector))
      result.push_back(vector);
  return result;
}

/// Returns a basis of the space of `bits` bits: bank bits, then segment bits that span no member of
/// `a` or `b`.
static Vectors separate(const Subspace &a, const Subspace &b, unsigned bits, unsigned bankBits) {
  Subspace both(intersect(a, b, {})), sum = a;
  sum.insert(b.basis());
  Vectors onlyA = complete(both, a.basis()), onlyB = complete(both, b.basis()), units, segments;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(uint64_t(1) << bit);
  segments = complete(sum, units);
  for (unsigned i = 0; i < std::min(onlyA.size(), onlyB.size()); ++i)
    segments.push_back(onlyA[i] ^ onlyB[i]);
  // Fewer segments are needed if the banks hold more than one side's lanes.
  unsigned needed = bits - std::min(bits, bankBits);
  if (segments.size() > needed)
    segments.resize(needed);
  Vectors preferred = llvm::to_vector(llvm::reverse(a.basis()));
  preferred.append(units);
  Vectors result = complete(Subspace(segments), preferred);
  result.append(segments);
  return result;
}

static Vectors completeCandidate(const ExchangeProblem &problem, const Candidate &candidate,
                                 ArrayRef<uint64_t> rounds) {
  Subspace spanned(candidate.low);
  Vectors rest = complete(spanned, candidate.rest);
  spanned.insert(rest);
  spanned.insert(rounds);
  for (ArrayRef<uint64_t> more :
       {ArrayRef<uint64_t>(problem.load.registers), ArrayRef<uint64_t>(problem.store.registers)})
    for (uint64_t vector : more)
      if (spanned.insert(vector))
        rest.push_back(vector);
  for (unsigned bit = 0; bit < problem.bits; ++bit)
    if (spanned.insert(uint64_t(1) << bit))
      rest.push_back(uint64_t(1) << bit);

  Vectors basis = candidate.low;
  basis.append(rest);
  basis.append(rounds.begin(), rounds.end());
  Coordinates coordinates(basis, problem.bits);
  unsigned lowBits = candidate.low.size();
  Subspace a = aboveLowBits(candidate.store, coordinates, lowBits);
  Subspace b = aboveLowBits(candidate.load, coordinates, lowBits);
  // In coordinates of `rest`; bits of the iteration's number are not part of the offset.
  unsigned lineBits = llvm::Log2_32(problem.banks.lineElements(problem.elementBits));
  Vectors result = candidate.low;
  for (uint64_t at : separate(a, b, rest.size(), lineBits - std::min(lineBits, lowBits))) {
    uint64_t vector = 0;
    for (auto [i, basisVector] : llvm::enumerate(rest))
      if (at >> i & 1)
        vector ^= basisVector;
    result.push_back(vector);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Returns the lanes that vector accesses process together if the low bits are `low`.
static Phase vectorPhase(const ExchangeProblem &problem, const ExchangeSide &side,
                         ArrayRef<uint64_t> low) {
  Subspace registers(side.registers);
  unsigned width = 0;
  while (width < low.size() && width < maxVectorBits(problem) && registers.contains(low[width]))
    ++width;
  unsigned bytes = (problem.elementBits / 8) << width;
  unsigned lanes = llvm::Log2_32(problem.banks.lanesServed(bytes));
  Vectors together(ArrayRef(side.lanes).take_front(lanes));
  unsigned inWord = llvm::Log2_32(problem.banks.bankElements(problem.elementBits));
  return {together, std::min<unsigned>(low.size(), std::max(width, inWord))};
}

/// Returns all threads' vectors, those of `first` before the others'.
static Vectors threadsInOrder(const ExchangeSide &first, const ExchangeSide &second) {
  Vectors result = first.lanes;
  result.append(first.warps);
  result.append(second.lanes);
  result.append(second.warps);
  return result;
}

/// Extends vectors that are narrower than a bank by lanes that share the bank.
static void fillWord(const ExchangeProblem &problem, Vectors &low) {
  Subspace taken(low);
  for (uint64_t vector : threadsInOrder(problem.store, problem.load))
    if (problem.elementBits << low.size() < 8 * problem.banks.bankBytes && taken.insert(vector))
      low.push_back(vector);
}

/// Returns a candidate with vectors as wide as both sides allow.
static Candidate commonVectors(const ExchangeProblem &problem, ArrayRef<uint64_t> common) {
  Vectors low(common.take_front(maxVectorBits(problem)));
  fillWord(problem, low);
  return {low, threadsInOrder(problem.store, problem.load),
          vectorPhase(problem, problem.store, low), vectorPhase(problem, problem.load, low)};
}

/// Returns a candidate with vectors as wide as side `wide` allows; the other side accesses parts of
/// them.
static Candidate wideVectors(const ExchangeProblem &problem, ArrayRef<uint64_t> common,
                             ArrayRef<uint64_t> rounds, const ExchangeSide &wide,
                             const ExchangeSide &other) {
  Vectors low(common.take_front(maxVectorBits(problem)));
  Phase otherPhase = vectorPhase(problem, other, low);
  Subspace otherLanes(otherPhase.lanes), free = threadsOf(wide), all = allThreads(problem);
  free.insert(low);
  all.insert(low);
  Subspace withRounds = all;
  withRounds.insert(rounds);
  Vectors uncovered; // low bits that distinguish no lanes of the other side
  for (bool isLane : {true, false})
    for (uint64_t vector : wide.registers) {
      if (low.size() == maxVectorBits(problem) || otherLanes.contains(vector) != isLane)
        continue;
      // The vector must be neither the thread's own nor one of the iterations'.
      if (free.contains(vector) || (!all.contains(vector) && withRounds.contains(vector)))
        continue;
      free.insert(vector);
      all.insert(vector);
      withRounds.insert(vector);
      low.push_back(vector);
      if (!isLane)
        uncovered.push_back(vector);
    }
  fillWord(problem, low);
  Vectors rest = wide.lanes;
  rest.append(wide.warps);
  // Lanes of the other side that have a low bit of their own leave the banks to others.
  Subspace ofWide = threadsOf(wide);
  for (uint64_t lane : otherPhase.lanes)
    if (!uncovered.empty() && ofWide.insert(lane))
      rest.push_back(lane ^ uncovered.pop_back_val());
  rest.append(threadsInOrder(wide, other));
  bool isLoad = &wide == &problem.load;
  Phase widePhase = vectorPhase(problem, wide, low);
  otherPhase = vectorPhase(problem, other, low);
  return {low, rest, isLoad ? otherPhase : widePhase, isLoad ? widePhase : otherPhase};
}

/// Returns the first `count` distinct registers of a side.
static Vectors firstRegisters(const ExchangeSide &side, unsigned count) {
  Vectors result;
  Subspace taken;
  for (uint64_t vector : side.registers)
    if (result.size() < count && taken.insert(vector))
      result.push_back(vector);
  return result;
}

/// Returns a candidate whose low bits are the tiles' positions, which side `matrix` moves by matrix
/// instructions, with `registers` as a tile's; nothing if it has no such tiles. The other side
/// moves 16 bytes if it holds whole positions, and otherwise narrow elements one by one: that takes
/// more accesses, but no permutation of the matrices' values.
static std::optional<Candidate> tilePositions(const ExchangeProblem &problem,
                                              const SharedTile &tile, ArrayRef<uint64_t> registers,
                                              const ExchangeSide &matrix,
                                              const ExchangeSide &other) {
  if (registers.size() < tile.registerBits())
    return std::nullopt;
  auto vectorsOf = [&](ArrayRef<SharedTile::Bit> bits) {
    Vectors vectors;
    for (SharedTile::Bit bit : bits)
      vectors.push_back(bit.isLane ? matrix.lanes[bit.index] : registers[bit.index]);
    return vectors;
  };
  Candidate result;
  result.low = vectorsOf(tile.position);
  Vectors addresses = vectorsOf(tile.address);
  Subspace low(result.low), otherRegisters(other.registers);
  if (low.dimension() != result.low.size())
    return std::nullopt;
  bool holdsPositions =
      llvm::all_of(result.low, [&](uint64_t v) { return otherRegisters.contains(v); });
  if (!holdsPositions && problem.elementBits >= 32)
    return std::nullopt;
  // The other side's vectors may be longer.
  unsigned positionBits = result.low.size();
  for (uint64_t lane : addresses)
    if (holdsPositions && result.low.size() < maxVectorBits(problem) &&
        otherRegisters.contains(lane) && low.insert(lane))
      result.low.push_back(lane);
  result.rest = other.lanes;
  result.rest.append(other.warps);
  result.rest.append(addresses);
  result.rest.append(matrix.warps);
  result.rest.append(matrix.lanes);
  result.rest.append(matrix.registers);
  unsigned together =
      llvm::Log2_32(problem.banks.lanesServed((problem.elementBits << positionBits) / 8));
  Phase matrixPhase{Vectors(ArrayRef(addresses).take_front(together)), positionBits};
  Phase otherPhase = vectorPhase(problem, other, result.low);
  bool isStore = &matrix == &problem.store;
  result.store = isStore ? matrixPhase : otherPhase;
  result.load = isStore ? otherPhase : matrixPhase;
  return result;
}

static std::vector<Candidate> listCandidates(const ExchangeProblem &problem,
                                             ArrayRef<uint64_t> rounds) {
  Vectors common;
  Subspace taken(rounds);
  for (uint64_t vector : commonRegisters(problem))
    if (taken.insert(vector))
      common.push_back(vector);
  const ExchangeSide &store = problem.store, &load = problem.load;
  std::vector<Candidate> result{commonVectors(problem, common)};
  if (common.size() < maxVectorBits(problem)) {
    result.push_back(wideVectors(problem, common, rounds, load, store));
    result.push_back(wideVectors(problem, common, rounds, store, load));
  }
  auto addTiles = [&](MatrixMoves moves, const ExchangeSide &matrix, const ExchangeSide &other) {
    // Registers that both sides have, or the matrices' first ones.
    Vectors own = firstRegisters(matrix, matrix.registers.size());
    for (const SharedTile &tile : listTiles(moves, problem.elementBits, matrix.lanes.size())) {
      bool hasRegisters = llvm::any_of(tile.position, [](auto bit) { return !bit.isLane; });
      if (hasRegisters)
        if (auto candidate = tilePositions(problem, tile, common, matrix, other))
          result.push_back(*candidate);
      if (auto candidate = tilePositions(problem, tile, own, matrix, other))
        result.push_back(*candidate);
    }
  };
  addTiles(problem.matrixStores ? MatrixMoves::Rows : MatrixMoves::None, store, load);
  addTiles(problem.matrixLoads, load, store);
  return result;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

LinearLayout tessera::exchangeOffsets(const ExchangeSide &side, ArrayRef<uint64_t> offsets,
                                      ArrayRef<uint64_t> rounds) {
  Vectors basis(offsets);
  basis.append(rounds.begin(), rounds.end());
  unsigned bits = basis.size();
  Coordinates coordinates(basis, bits);
  Vectors columns;
  for (const Vectors *vectors : {&side.registers, &side.lanes, &side.warps})
    for (uint64_t vector : *vectors)
      columns.push_back(coordinates.of(vector));
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, bits),
                                  {{Dim::reg(), unsigned(side.registers.size())},
                                   {Dim::lane(), unsigned(side.lanes.size())},
                                   {Dim::warp(), unsigned(side.warps.size())}},
                                  {{Dim::offset(), bits}});
}

/// Returns whether offsets and iterations are a basis, and no thread bit changes the iteration.
static bool isSound(const ExchangeProblem &problem, ArrayRef<uint64_t> offsets,
                    ArrayRef<uint64_t> rounds) {
  Subspace all(offsets);
  all.insert(rounds);
  if (all.dimension() != problem.bits || offsets.size() + rounds.size() != problem.bits)
    return false;
  Subspace inRound(offsets);
  Subspace threads = allThreads(problem);
  return llvm::all_of(threads.basis(), [&](uint64_t v) { return inRound.contains(v); });
}

/// Returns the first bit of the thread's number that changes offset bit `place`.
static unsigned firstThreadBit(const LinearLayout &offsets, unsigned place) {
  unsigned index = 0;
  for (Dim in : {Dim::lane(), Dim::warp()})
    for (unsigned bit = 0; bit < offsets.inBits(in); ++bit, ++index)
      if (offsets.flatBasis(in, bit) >> place & 1)
        return index;
  return index;
}

/// Sorts the bits of the banks, and those of the segments, by the bits of the loading threads: the
/// order has no effect on conflicts, and an address takes fewer instructions if adjacent bits move
/// together.
static void sortPlaces(const ExchangeProblem &problem, unsigned lowBits, Vectors &offsets,
                       ArrayRef<uint64_t> rounds) {
  LinearLayout loads = exchangeOffsets(problem.load, offsets, rounds);
  LinearLayout stores = exchangeOffsets(problem.store, offsets, rounds);
  unsigned lineBits = llvm::Log2_32(problem.banks.lineElements(problem.elementBits)),
           count = offsets.size();
  Vectors sorted = offsets;
  for (auto [begin, end] : {std::pair(std::min(lowBits, count), std::min(lineBits, count)),
                            std::pair(std::min(std::max(lowBits, lineBits), count), count)}) {
    SmallVector<std::tuple<unsigned, unsigned, unsigned>> keyed;
    for (unsigned place = begin; place < end; ++place)
      keyed.push_back({firstThreadBit(loads, place), firstThreadBit(stores, place), place});
    llvm::sort(keyed);
    for (unsigned place = begin; place < end; ++place)
      sorted[place] = offsets[std::get<2>(keyed[place - begin])];
  }
  offsets = sorted;
}

/// The cost of a buffer's accesses, compared in this order.
using SwizzleCost = std::tuple<unsigned, unsigned, unsigned>;

static SwizzleCost costOfOffsets(const ExchangeProblem &problem, ArrayRef<uint64_t> offsets,
                                 ArrayRef<uint64_t> rounds) {
  uint64_t inRound = llvm::maskTrailingOnes<uint64_t>(offsets.size());
  auto cost = [&](const ExchangeSide &side, MatrixMoves matrix) {
    return costOfSharedAccess(exchangeOffsets(side, offsets, rounds), problem.elementBits,
                              {problem.maxVectorBits, matrix, inRound, problem.banks});
  };
  SharedAccessCost stores =
      cost(problem.store, problem.matrixStores ? MatrixMoves::Rows : MatrixMoves::None);
  SharedAccessCost loads = cost(problem.load, problem.matrixLoads);
  // A multiprocessor permutes the words of two warps while its shared memory processes one.
  unsigned permutes = stores.permutes + loads.permutes;
  return {stores.wavefronts + loads.wavefronts + permutes / 2,
          stores.instructions + loads.instructions + permutes, loads.moves};
}

Vectors tessera::chooseSwizzle(const ExchangeProblem &problem, ArrayRef<uint64_t> rounds) {
  std::optional<SwizzleCost> bestCost;
  Vectors best;
  unsigned bestLow = 0;
  for (const Candidate &candidate : listCandidates(problem, rounds)) {
    Vectors offsets = completeCandidate(problem, candidate, rounds);
    if (!isSound(problem, offsets, rounds))
      continue;
    SwizzleCost cost = costOfOffsets(problem, offsets, rounds);
    if (!bestCost || cost < *bestCost) {
      bestCost = cost;
      best = offsets;
      bestLow = candidate.low.size();
    }
  }
  // Accesses may move more than the candidate's low bits at once, which sorting would separate.
  Vectors sorted = best;
  sortPlaces(problem, bestLow, sorted, rounds);
  return costOfOffsets(problem, sorted, rounds) > *bestCost ? best : sorted;
}
