//===- Conversion.cpp - plan the conversion between two layouts -----------===//
// See Conversion.h. Shuffles and shared memory are compared in uses of the shared memory unit,
// which executes both; selects and the slots of issue are counted in these, too (MoveCosts).
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Layout/Conversion.h"
#include "SharedSwizzle.h"
#include "Subspace.h"
#include "tessera/TTGIR/Layout/Redundancy.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

static const Dim hardware[] = {Dim::reg(), Dim::lane(), Dim::warp(), Dim::block()};

static LinearLayout withAllInputs(LinearLayout layout) {
  for (Dim dim : hardware)
    layout = layout.unsqueezeIn(dim);
  return layout;
}

std::optional<Conversion> tessera::planConversion(const LinearLayout &src,
                                                  const LinearLayout &dst) {
  const std::pair<Dim, ConversionReach> farToNear[] = {
      {Dim::block(), ConversionReach::Block},
      {Dim::warp(), ConversionReach::Warp},
      {Dim::lane(), ConversionReach::Lane},
      {Dim::reg(), ConversionReach::Register},
  };
  std::optional<LinearLayout> map = withAllInputs(dst).invertAndCompose(withAllInputs(src));
  if (!map)
    return std::nullopt;
  for (auto [dim, reach] : farToNear) {
    std::optional<LinearLayout> rest = map->quotient({dim});
    if (!rest)
      return Conversion{reach, *map};
    map = rest;
  }
  return Conversion{ConversionReach::None, *map};
}

//===----------------------------------------------------------------------===//
// The exchange as a choice of offset bits
//===----------------------------------------------------------------------===//

namespace {
/// Numbers the members of a subspace.
class Numbering {
public:
  explicit Numbering(const Subspace &space) {
    rows.assign(space.basis().begin(), space.basis().end());
    // Each row's highest bit is in no other row: a member is then identified by these bits.
    for (unsigned low = rows.size(); low-- > 0;)
      for (unsigned high = 0; high < low; ++high)
        rows[high] = std::min(rows[high], rows[high] ^ rows[low]);
  }
  unsigned bits() const { return rows.size(); }
  uint64_t of(uint64_t member) const {
    uint64_t number = 0;
    for (auto [i, row] : llvm::enumerate(llvm::reverse(rows)))
      number |= uint64_t((member & llvm::bit_floor(row)) != 0) << i;
    return number;
  }

private:
  SmallVector<uint64_t> rows; // with descending highest bits
};
} // namespace

static SmallVector<uint64_t> columnsOf(const LinearLayout &layout, Dim in) {
  SmallVector<uint64_t> columns;
  for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
    columns.push_back(layout.flatBasis(in, bit));
  return columns;
}

static ExchangeSide sideOf(const LinearLayout &layout) {
  return {columnsOf(layout, Dim::reg()), columnsOf(layout, Dim::lane()),
          columnsOf(layout, Dim::warp())};
}

static void renumber(ExchangeSide &side, const Numbering &numbering) {
  for (SmallVector<uint64_t> *vectors : {&side.registers, &side.lanes, &side.warps})
    for (uint64_t &vector : *vectors)
      vector = numbering.of(vector);
}

static Subspace spanOf(const ExchangeSide &side) {
  Subspace span(side.registers);
  span.insert(side.lanes);
  span.insert(side.warps);
  return span;
}

/// Makes the problem of an exchange in which `load` reads the values that `store` wrote. If the
/// sides have no warp bits, each warp exchanges its values separately.
static ExchangeProblem makeProblem(ExchangeSide store, ExchangeSide load, unsigned elementBits,
                                   bool withWarps) {
  if (!withWarps) {
    store.warps.clear();
    load.warps.clear();
  }
  Subspace elements = spanOf(store);
  elements.insert(spanOf(load).basis());
  Numbering numbering(elements);
  renumber(store, numbering);
  renumber(load, numbering);
  ExchangeProblem problem;
  problem.store = store;
  problem.load = load;
  problem.bits = numbering.bits();
  problem.elementBits = elementBits;
  return problem;
}

/// For an exchange between the CTAs of a cluster: a load's element is identified by its offset in
/// the memory of the CTA that wrote it.
static ExchangeProblem makeClusterProblem(const LinearLayout &src, const LinearLayout &map,
                                          unsigned elementBits) {
  const Dim inCTA[] = {Dim::reg(), Dim::lane(), Dim::warp()};
  LinearLayout own = src.sublayout(inCTA, src.outDims());
  LinearLayout read = map.sublayout(inCTA, inCTA).compose(own);
  return makeProblem(sideOf(own), sideOf(read), elementBits, /*withWarps=*/true);
}

static ExchangeProblem makeProblem(const LinearLayout &src, const LinearLayout &dst,
                                   const Conversion &conversion, unsigned elementBits) {
  if (conversion.reach == ConversionReach::Block)
    return makeClusterProblem(src, conversion.map, elementBits);
  return makeProblem(sideOf(src), sideOf(dst), elementBits,
                     conversion.reach == ConversionReach::Warp);
}

/// Returns both layouts with all inputs, and with outputs in the same order.
static std::pair<LinearLayout, LinearLayout> aligned(const LinearLayout &src,
                                                     const LinearLayout &dst) {
  std::optional<LinearLayout> ordered = dst.transposeOuts(src.outDims());
  return {withAllInputs(src), withAllInputs(ordered.value_or(dst))};
}

//===----------------------------------------------------------------------===//
// The method
//===----------------------------------------------------------------------===//

/// Returns how often a warp uses the shared memory unit to store or load what it holds. Lanes that
/// hold the same elements share a use, but each instruction is one at least.
static unsigned countWavefronts(const LinearLayout &layout, unsigned elementBits,
                                const MachineModel &machine) {
  LinearLayout ofWarp = layout.sublayout({Dim::reg(), Dim::lane()}, layout.outDims());
  OwnerMasks copies = ownerMasks(ofWarp);
  unsigned bits =
      (layout.inSize(Dim::reg()) >> llvm::popcount(copies.registers)) * std::max(8u, elementBits);
  unsigned lanes = machine.banks.laneBits - llvm::popcount(copies.lanes);
  uint64_t instructions = llvm::divideCeil(bits, machine.maxVectorBits);
  return std::max(instructions, (uint64_t(bits) << lanes) / (8 * machine.banks.lineBytes()));
}

/// Returns whether shuffles cost less than an exchange through the warp's shared memory.
static bool prefersShuffles(const ShufflePlan &shuffles, const LinearLayout &src,
                            const LinearLayout &dst, unsigned elementBits,
                            const MachineModel &machine) {
  unsigned words = std::max(1u, elementBits / 32);
  const MoveCosts &moves = machine.moves;
  double byShuffles = words * (moves.shuffle * shuffles.numShuffles +
                               moves.select * (shuffles.numSelects + shuffles.numPermutes));
  unsigned wavefronts =
      countWavefronts(src, elementBits, machine) + countWavefronts(dst, elementBits, machine);
  return byShuffles <= wavefronts + moves.sharedLatency;
}

static void planRename(ConversionPlan &plan, const LinearLayout &map, const LinearLayout &dst) {
  plan.method = ConversionMethod::Rename;
  for (uint64_t reg = 0; reg < dst.inSize(Dim::reg()); ++reg)
    plan.registers.push_back(map.hasIn(Dim::reg()) ? map.apply({{Dim::reg(), reg}}, Dim::reg())
                                                   : reg);
}

/// Tries to plan shuffles; returns false if shared memory is better.
static bool planByShuffles(ConversionPlan &plan, const LinearLayout &src, const LinearLayout &dst,
                           unsigned elementBits, const MachineModel &machine) {
  UniqueRegisters unique = uniqueRegisters(dst);
  std::optional<Conversion> conversion = planConversion(src, unique.layout);
  if (!conversion || conversion->reach != ConversionReach::Lane)
    return false;
  std::optional<ShufflePlan> shuffles = planShuffles(conversion->map, elementBits);
  if (!shuffles || !prefersShuffles(*shuffles, src, unique.layout, elementBits, machine))
    return false;
  plan.method = ConversionMethod::Shuffle;
  plan.shuffles = std::move(shuffles);
  plan.registers = std::move(unique.source);
  plan.kept = std::move(unique.kept);
  return true;
}

/// Returns the bits of the warp's number if each warp has its own buffer; the buffers are
/// consecutive.
static unsigned ownBuffers(const LinearLayout &src, const Conversion &conversion) {
  return conversion.reach == ConversionReach::Lane ? src.inBits(Dim::warp()) : 0;
}

static SmallVector<uint64_t> roundsOf(const ExchangeProblem &problem, const Conversion &conversion,
                                      unsigned bufferBits, const MoveCosts &costs) {
  // A barrier of the whole cluster is too expensive to have several.
  if (conversion.reach == ConversionReach::Block)
    return {};
  return chooseRounds(problem, costs.wantedScratchBytes >> bufferBits,
                      costs.maxScratchBytes >> bufferBits);
}

std::optional<ConversionPlan> tessera::planConversion(const LinearLayout &source,
                                                      const LinearLayout &result,
                                                      unsigned elementBits,
                                                      const MachineModel &machine) {
  auto [src, dst] = aligned(source, result);
  std::optional<Conversion> conversion = planConversion(src, dst);
  if (!conversion)
    return std::nullopt;
  ConversionPlan plan;
  if (conversion->reach <= ConversionReach::Register) {
    planRename(plan, conversion->map, dst);
    return plan;
  }
  if (conversion->reach == ConversionReach::Lane &&
      planByShuffles(plan, src, dst, elementBits, machine))
    return plan;
  plan.method = conversion->reach == ConversionReach::Lane   ? ConversionMethod::WarpMemory
                : conversion->reach == ConversionReach::Warp ? ConversionMethod::BlockMemory
                                                             : ConversionMethod::ClusterMemory;
  ExchangeProblem problem = makeProblem(src, dst, *conversion, elementBits);
  unsigned bufferBits = ownBuffers(src, *conversion);
  unsigned roundBits = roundsOf(problem, *conversion, bufferBits, machine.moves).size();
  plan.rounds = 1u << roundBits;
  plan.scratchBytes = (uint64_t(1) << (problem.bits + bufferBits - roundBits)) * elementBits / 8;
  return plan;
}

//===----------------------------------------------------------------------===//
// The accesses
//===----------------------------------------------------------------------===//

/// Adds, above the bits of the offset in a buffer, the CTA that each input reads from.
static LinearLayout addBlocks(const LinearLayout &offsets, const LinearLayout &map,
                              unsigned offsetBits) {
  SmallVector<uint64_t> columns;
  unsigned bits = offsetBits + map.outBits(Dim::block());
  for (const DimBits &in : offsets.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      columns.push_back(offsets.flatBasis(in.dim, bit) | map.basis(in.dim, bit, Dim::block())
                                                             << offsetBits);
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(columns, bits), offsets.ins(),
                                  {{Dim::offset(), bits}});
}

SharedExchange tessera::planExchange(const LinearLayout &source, const LinearLayout &result,
                                     unsigned elementBits, const ExchangeInstructions &available,
                                     const MachineModel &machine) {
  auto [src, dst] = aligned(source, result);
  std::optional<Conversion> conversion = planConversion(src, dst);
  SharedExchange exchange;
  if (!conversion)
    return exchange;
  bool isCluster = conversion->reach == ConversionReach::Block;
  ExchangeProblem problem = makeProblem(src, dst, *conversion, elementBits);
  problem.maxVectorBits = available.maxVectorBits;
  problem.banks = machine.banks;
  problem.matrixStores = available.matrixStores;
  problem.matrixLoads = isCluster ? MatrixMoves::None : available.matrixLoads;
  unsigned bufferBits = ownBuffers(src, *conversion);
  SmallVector<uint64_t> rounds = roundsOf(problem, *conversion, bufferBits, machine.moves);
  SmallVector<uint64_t> offsets = chooseSwizzle(problem, rounds);
  for (unsigned bit = 0; bit < bufferBits; ++bit) {
    uint64_t warp = uint64_t(1) << problem.bits++;
    problem.store.warps.push_back(warp);
    problem.load.warps.push_back(warp);
    offsets.push_back(warp);
  }
  exchange.offsetBits = offsets.size();
  exchange.rounds = 1u << rounds.size();

  LinearLayout stores = exchangeOffsets(problem.store, offsets, rounds);
  LinearLayout loads = exchangeOffsets(problem.load, offsets, rounds);
  uint64_t inBuffer = (uint64_t(1) << offsets.size()) - 1;
  if (isCluster) {
    // A bit of the CTA's number adds an offset, like any other bit, and a CTA.
    const LinearLayout &map = conversion->map;
    LinearLayout toPlace = map.sublayout({Dim::block()}, {Dim::reg(), Dim::lane(), Dim::warp()});
    LinearLayout places = toPlace.compose(stores);
    for (unsigned bit = 0; bit < map.inBits(Dim::block()); ++bit)
      exchange.blockBases.push_back(places.flatBasis(Dim::block(), bit) |
                                    map.basis(Dim::block(), bit, Dim::block())
                                        << exchange.offsetBits);
    loads = addBlocks(loads, map, exchange.offsetBits);
  }
  MatrixMoves matrixStores = problem.matrixStores ? MatrixMoves::Rows : MatrixMoves::None;
  exchange.stores = planSharedAccess(
      stores, elementBits, {problem.maxVectorBits, matrixStores, inBuffer, machine.banks});
  uint64_t ofBlocks = 0;
  for (uint64_t basis : exchange.blockBases)
    ofBlocks |= basis;
  exchange.loads = planSharedAccess(
      loads, elementBits, {problem.maxVectorBits, problem.matrixLoads, inBuffer, machine.banks},
      ofBlocks);
  return exchange;
}

std::optional<LinearLayout> tessera::planBuffer(const LinearLayout &source,
                                                const LinearLayout &result, unsigned elementBits,
                                                const MachineModel &machine) {
  auto [src, dst] = aligned(source, result);
  ExchangeProblem problem = makeProblem(sideOf(src), sideOf(dst), elementBits, /*withWarps=*/true);
  problem.maxVectorBits = machine.maxVectorBits;
  problem.banks = machine.banks;
  problem.matrixLoads = machine.matrixLoads;
  unsigned bits = 0;
  for (const DimBits &out : src.outs())
    bits += out.bits;
  // Elements keep their numbers only if all of them are written.
  if (problem.bits != bits || src.inBits(Dim::block()) != 0)
    return std::nullopt;
  SmallVector<uint64_t> offsets = chooseSwizzle(problem, /*rounds=*/{});
  return LinearLayout::fromMatrix(F2Matrix::fromColumns(offsets, bits), {{Dim::offset(), bits}},
                                  src.outs())
      .unsqueezeIn(Dim::block());
}
