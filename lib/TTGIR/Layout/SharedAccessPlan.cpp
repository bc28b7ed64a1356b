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
#include "llvm/ADT/SmallBitVector.h"
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
  /// Returns the bits that a thread may have set by all inputs except registers.
  uint64_t threadBits() const {
    uint64_t all = fixedBits;
    for (const SmallVector<uint64_t> *bases : {&lanes, &warps})
      for (uint64_t basis : *bases)
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
  unsigned positionBits = 0; // of the consecutive elements behind an address
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
  result.positionBits = result.inner.size();
  return result;
}

/// Returns the offsets of the registers' bits in one tile: registers within a position must be
/// there, and the first ones of the thread follow.
static std::optional<SmallVector<uint64_t>> findTileRegisters(const Places &places,
                                                              const SharedTile &tile) {
  SmallVector<uint64_t> found;
  for (auto [bit, source] : llvm::enumerate(tile.position)) {
    uint64_t step = uint64_t(1) << bit;
    if (source.isLane)
      continue;
    if (!places.hasRegisterAt(step))
      return std::nullopt;
    found.push_back(step);
  }
  Subspace taken(found);
  for (uint64_t basis : places.registers)
    if (found.size() < tile.registerBits() && taken.insert(basis))
      found.push_back(basis);
  if (found.size() < tile.registerBits())
    return std::nullopt;
  return found;
}

/// Returns whether the elements behind each address are those that the tile's lanes and registers
/// hold, and all other bits of a thread's number move whole positions.
static bool hasPositions(const Places &places, const SharedTile &tile) {
  uint64_t ofRegisters = 0, others = places.fixedBits;
  uint64_t all = (uint64_t(1) << tile.position.size()) - 1;
  llvm::SmallBitVector inPosition(places.lanes.size());
  for (auto [bit, source] : llvm::enumerate(tile.position)) {
    uint64_t step = uint64_t(1) << bit;
    if (!source.isLane)
      ofRegisters |= step;
    else if (places.lanes[source.index] != step)
      return false;
    else
      inPosition.set(source.index);
  }
  for (auto [bit, basis] : llvm::enumerate(places.lanes))
    if (!inPosition.test(bit))
      others |= basis;
  for (uint64_t basis : places.warps)
    others |= basis;
  // The bytes of the other lanes in a position do not belong to this lane.
  for (uint64_t basis : places.registers)
    others |= basis & ~ofRegisters;
  return (others & all) == 0 && (all & ~places.innerBits) == 0;
}

/// Matches a tile, and adds steps between the tiles of one access. The first registers come first:
/// instructions that take several words (mma.sync takes four of A) need them in adjacent registers,
/// and any other order would cost a move each.
static std::optional<Candidate> matchTile(const Places &places, const SharedTile &tile) {
  std::optional<SmallVector<uint64_t>> registers = findTileRegisters(places, tile);
  if (!registers || !hasPositions(places, tile) ||
      llvm::any_of(*registers, [&](uint64_t step) { return (step & ~places.innerBits) != 0; }))
    return std::nullopt;
  Candidate result{tile.instruction, *registers, {}, unsigned(tile.position.size())};
  for (SharedTile::Bit source : tile.address)
    result.threadBases.push_back(source.isLane ? places.lanes[source.index]
                                               : (*registers)[source.index]);
  Subspace taken(*registers);
  size_t most = result.threadBases.size() + tile.moreBits;
  for (uint64_t basis : places.registers) {
    uint64_t step = taken.reduce(basis);
    if (result.threadBases.size() == most || (step & ~places.innerBits) != 0 || !taken.insert(step))
      continue;
    result.inner.push_back(step);
    result.threadBases.push_back(step);
  }
  result.threadBases.resize(places.lanes.size(), 0);
  result.threadBases.append(places.warps);
  return result;
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Returns the number of wavefronts for one access of a warp.
static unsigned countWavefronts(const Candidate &candidate, unsigned elementBits,
                                const BankModel &memory, bool isLoad) {
  bool isVector = candidate.instruction == SharedInstruction::Vector;
  unsigned bytes = (elementBits << candidate.positionBits) / 8;
  unsigned laneBits = std::min<unsigned>(memory.laneBits, candidate.threadBases.size());
  // The addresses of lanes beyond the tiles' are not used.
  unsigned lanes = 1u << (laneBits + candidate.inner.size() - candidate.positionBits);
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
  for (const SharedTile &tile : listTiles(available.matrix, elementBits, places.lanes.size()))
    if (std::optional<Candidate> candidate = matchTile(places, tile))
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
