//===- SharedAccessPlan.cpp - accesses between registers and shared memory -===//
// See SharedAccessPlan.h. A thread's offsets are a linear subspace: the part that one instruction
// moves is spanned by a few of its vectors (the "inner" ones), and there is an access for each of
// their cosets.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "Subspace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// The parts of the map.
struct Places {
  Places(const LinearLayout &map, const SharedInstructions &available, uint64_t fixedBits)
      : fixedBits(fixedBits), innerBits(available.innerBits) {
    for (auto [in, bases] : {std::pair(Dim::reg(), &registers), std::pair(Dim::lane(), &lanes),
                             std::pair(Dim::warp(), &warps)})
      for (unsigned bit = 0; bit < map.inBits(in); ++bit)
        bases->push_back(map.basis(in, bit, Dim::offset()));
    span.insert(registers);
  }

  bool hasRegisterAt(uint64_t offset) const { return span.contains(offset); }
  /// Returns the bits that a thread may have set by its lane bits from `firstLane` up to `endLane`
  /// and by all other inputs except registers.
  uint64_t threadBits(unsigned firstLane = 0, unsigned endLane = ~0u) const {
    uint64_t all = fixedBits;
    for (auto [bit, basis] : llvm::enumerate(lanes))
      if (bit >= firstLane && bit < endLane)
        all |= basis;
    for (uint64_t basis : warps)
      all |= basis;
    return all;
  }

  SmallVector<uint64_t> registers, lanes, warps; // bases
  Subspace span;                                 // the span of the registers' bases
  uint64_t fixedBits, innerBits;
};

/// An instruction that can be used, before its accesses are listed.
struct Candidate {
  SharedInstruction instruction = SharedInstruction::Vector;
  SmallVector<uint64_t> inner; // offsets of the index bits of an access's values
  SmallVector<uint64_t> threadBases;
};
} // namespace

uint64_t SharedAccessPlan::threadBits() const {
  uint64_t bits = 0;
  for (uint64_t basis : threadBases)
    bits |= basis;
  return bits;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static Candidate matchVector(const Places &places, unsigned maxWidth) {
  Candidate result;
  for (uint64_t step = 1; step * 2 <= maxWidth; step *= 2) {
    if (!places.hasRegisterAt(step) || (places.threadBits() & (2 * step - 1)) != 0 ||
        (step & ~places.innerBits) != 0)
      break;
    result.inner.push_back(step);
  }
  result.threadBases = places.lanes;
  result.threadBases.append(places.warps);
  return result;
}

/// Adds steps between the matrices of one access, at most two, and the addresses of rows: lanes now
/// number them, with three bits within a matrix and two for its number. The first registers come
/// first: instructions that take several words (mma.sync takes four of A) need them in adjacent
/// registers, and any other order would cost a move each.
static Candidate makeMatrices(const Places &places, SharedInstruction instruction,
                              SmallVector<uint64_t> inWord, ArrayRef<uint64_t> rows) {
  Candidate result{instruction, inWord, SmallVector<uint64_t>(rows)};
  Subspace taken(inWord);
  for (uint64_t basis : places.registers) {
    uint64_t step = taken.reduce(basis);
    if (result.threadBases.size() == kMatrixLaneBits || (step & ~places.innerBits) != 0 ||
        !taken.insert(step))
      continue;
    result.inner.push_back(step);
    result.threadBases.push_back(step);
  }
  result.threadBases.resize(kMatrixLaneBits, 0);
  result.threadBases.append(places.warps);
  return result;
}

static std::optional<Candidate> matchMatrix(const Places &places, unsigned elementBits) {
  uint64_t word = 32 / elementBits, row = kMatrixRowBits / elementBits;
  if (places.lanes[0] != word || places.lanes[1] != 2 * word ||
      (places.threadBits(2) & (row - 1)) != 0 || ((row - 1) & ~places.innerBits) != 0)
    return std::nullopt;
  SmallVector<uint64_t> inWord;
  for (uint64_t step = 1; step < word; step *= 2) {
    if (!places.hasRegisterAt(step))
      return std::nullopt;
    inWord.push_back(step);
  }
  // The bytes of the other lanes in a row do not belong to this lane.
  for (uint64_t basis : places.registers)
    if (basis & (row - 1) & ~(word - 1))
      return std::nullopt;
  return makeMatrices(places, SharedInstruction::Matrix, inWord,
                      {places.lanes[2], places.lanes[3], places.lanes[4]});
}

static std::optional<Candidate> matchTransposed(const Places &places, unsigned elementBits) {
  constexpr uint64_t row = 8;
  if (elementBits != 16 || places.lanes[2] != 1 || places.lanes[3] != 2 || places.lanes[4] != 4 ||
      (places.threadBits(0, 2) & (row - 1)) != 0 || ((row - 1) & ~places.innerBits) != 0)
    return std::nullopt;
  // Two consecutive registers share a word, as matrix units require.
  uint64_t pair = 0;
  for (uint64_t basis : places.registers) {
    if (basis & (row - 1))
      return std::nullopt;
    if (pair == 0)
      pair = basis;
  }
  if (pair == 0 || (pair & ~places.innerBits) != 0)
    return std::nullopt;
  return makeMatrices(places, SharedInstruction::MatrixTransposed, {pair},
                      {pair, places.lanes[0], places.lanes[1]});
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Returns the number of wavefronts for one access of a warp.
static unsigned countWavefronts(const Candidate &candidate, unsigned elementBits,
                                const BankModel &memory, bool isLoad) {
  bool isVector = candidate.instruction == SharedInstruction::Vector;
  unsigned width = 1u << candidate.inner.size();
  unsigned bytes = isVector ? width * elementBits / 8 : 16;
  // The addresses of lanes beyond the matrices' rows are not used.
  unsigned laneBits = std::min<unsigned>(memory.laneBits, candidate.threadBases.size());
  unsigned lanes = isVector ? 1u << laneBits : 8 * width * elementBits / 32;
  unsigned atOnce = memory.lanesServed(bytes);
  constexpr unsigned widestBytes = 16;
  bool isReordered = isVector && isLoad && bytes == widestBytes;
  auto offsetOf = [&](unsigned counted) {
    unsigned lane = isReordered ? 0 : counted;
    for (unsigned bit = 0; isReordered && bit < laneBits; ++bit)
      if (counted >> bit & 1)
        lane ^= memory.widestLoadLanes[bit];
    uint64_t offset = 0;
    for (unsigned bit = 0; bit < laneBits; ++bit)
      if (lane >> bit & 1)
        offset ^= candidate.threadBases[bit];
    return offset;
  };

  unsigned total = 0;
  for (unsigned first = 0; first < lanes; first += atOnce) {
    SmallVector<uint64_t, 32> words;
    for (unsigned lane = first; lane < std::min(lanes, first + atOnce); ++lane) {
      uint64_t byte = offsetOf(lane) * elementBits / 8;
      for (uint64_t word = byte / memory.bankBytes; word <= (byte + bytes - 1) / memory.bankBytes;
           ++word)
        words.push_back(word);
    }
    llvm::sort(words);
    words.erase(llvm::unique(words), words.end());
    SmallVector<unsigned, 64> perBank(memory.banks, 0);
    unsigned most = 0;
    for (uint64_t word : words)
      most = std::max(most, ++perBank[word % memory.banks]);
    total += most;
  }
  return total;
}

static SharedAccessCost costOf(const Places &places, const Candidate &candidate,
                               unsigned elementBits, const SharedInstructions &available) {
  unsigned accesses = 1u << (places.span.dimension() - candidate.inner.size());
  SharedAccessCost cost{
      accesses * countWavefronts(candidate, elementBits, available.banks, available.isLoad),
      accesses, 0, 0};
  // Users of narrow elements need those of the first registers in one word, and matrix units need
  // the next ones in the adjacent word.
  unsigned inWord = llvm::Log2_32(32 / std::min(32u, elementBits)), index = 0;
  unsigned words = llvm::divideCeil(uint64_t(1) << places.span.dimension(), 1u << inWord);
  for (uint64_t basis : places.registers) {
    if (basis == 0)
      continue;
    bool isNext = index < candidate.inner.size() && candidate.inner[index] == basis;
    if (index < inWord && !isNext)
      cost.permutes = words;
    if (index == inWord && index < candidate.inner.size() && !isNext)
      cost.moves = words;
    ++index;
  }
  return cost;
}

static Candidate chooseCandidate(const Places &places, unsigned elementBits,
                                 const SharedInstructions &available) {
  Candidate best = matchVector(places, available.maxVectorBits / elementBits);
  // Matrix instructions use all lanes of a warp, with words of 32 bits each.
  if (!available.matrix || elementBits > 32 || places.lanes.size() != kMatrixLaneBits)
    return best;
  for (auto match : {matchMatrix, matchTransposed})
    if (std::optional<Candidate> candidate = match(places, elementBits))
      if (costOf(places, *candidate, elementBits, available) <
          costOf(places, best, elementBits, available))
        best = *candidate;
  return best;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Returns all xors of subsets of `bases`; bit i of the index stands for bases[i].
static SmallVector<uint64_t> listSpan(ArrayRef<uint64_t> bases) {
  SmallVector<uint64_t> vectors{0};
  for (uint64_t basis : bases)
    for (size_t i = 0, count = vectors.size(); i < count; ++i)
      vectors.push_back(vectors[i] ^ basis);
  return vectors;
}

SharedAccessCost tessera::costOfSharedAccess(const LinearLayout &map, unsigned elementBits,
                                             const SharedInstructions &available,
                                             uint64_t fixedBits) {
  Places places(map, available, fixedBits);
  return costOf(places, chooseCandidate(places, elementBits, available), elementBits, available);
}

SharedAccessPlan tessera::planSharedAccess(const LinearLayout &map, unsigned elementBits,
                                           const SharedInstructions &available,
                                           uint64_t fixedBits) {
  Places places(map, available, fixedBits);
  Candidate chosen = chooseCandidate(places, elementBits, available);
  SharedAccessPlan plan;
  plan.instruction = chosen.instruction;
  plan.width = 1u << chosen.inner.size();
  plan.threadBases = chosen.threadBases;

  SmallVector<uint64_t> offsets = listSpan(places.registers);
  llvm::DenseMap<uint64_t, unsigned> holders;
  holders.reserve(offsets.size());
  for (auto [reg, offset] : llvm::enumerate(offsets))
    plan.holder.push_back(holders.insert({offset, reg}).first->second);

  SmallVector<uint64_t> inAccess = listSpan(chosen.inner);
  Subspace inner(chosen.inner);
  for (auto [reg, offset] : llvm::enumerate(offsets)) {
    // Each coset is represented by the vector without the highest bits of the inner ones.
    if (plan.holder[reg] != reg || inner.reduce(offset) != offset)
      continue;
    SharedAccess &access = plan.accesses.emplace_back(SharedAccess{offset, {}});
    for (uint64_t step : inAccess)
      access.registers.push_back(holders.lookup(offset ^ step));
  }
  return plan;
}

std::optional<LinearLayout> tessera::offsetsInBuffer(const LinearLayout &tensor,
                                                     const LinearLayout &buffer) {
  std::optional<LinearLayout> map =
      tensor.unsqueezeIn(Dim::block()).invertAndCompose(buffer.unsqueezeIn(Dim::block()));
  if (map)
    map = map->quotient({Dim::block()});
  return map;
}
