//===- MatrixPlan.cpp - divide a product into matrix instructions ---------===//
#include "tessera/TTGIR/Layout/MatrixPlan.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

using Index = SmallVector<uint64_t, 4>;

// The dimensions of a tile's maps.
static const Dim first = Dim::axis(0);
static const Dim second = Dim::axis(1);

LinearLayout tessera::matrixTileMap(ArrayRef<BasisVector> registers, ArrayRef<BasisVector> lanes) {
  DimBases ins[] = {{Dim::reg(), SmallVector<BasisVector>(registers)},
                    {Dim::lane(), SmallVector<BasisVector>(lanes)}};
  return LinearLayout::fromBases(ins, {first, second}).value_or(LinearLayout());
}

namespace {

/// Looks registers up; remembers whether one was missing.
struct Finder {
  explicit Finder(const LinearLayout &layout) : layout(layout), lookup(layout) {}
  unsigned at(Index index) {
    for (auto [coordinate, out] : llvm::zip_equal(index, layout.outs()))
      coordinate &= out.size() - 1; // beyond a small tensor it repeats
    std::optional<unsigned> reg = lookup.find(index);
    complete &= reg.has_value();
    return reg.value_or(0);
  }
  const LinearLayout &layout;
  RegisterLookup lookup;
  bool complete = true;
};

/// Compares the layouts of a product with those of a tile, and lists the instructions.
class MatrixPlanner {
public:
  MatrixPlanner(const LinearLayout &a, const LinearLayout &b, const LinearLayout &d,
                const MatrixTile &tile)
      : a(a), b(b), d(d), tile(tile), rank(d.outs().size()), row(Dim::axis(rank - 2)),
        column(Dim::axis(rank - 1)), inA(a), inB(b), inD(d) {
    for (unsigned batch = 0; batch + 2 < rank; ++batch)
      batches.push_back(Dim::axis(batch));
  }
  std::optional<SmallVector<MatrixStep>> plan();

private:
  bool warpsAgree() const;
  bool lanesAgree() const;
  bool registersAgree() const;
  bool laneMoves(const LinearLayout &layout, unsigned bit, uint64_t along, uint64_t across) const;
  uint64_t innerOf(unsigned bit) const { return a.basis(Dim::lane(), bit, column); }
  bool isGroupBit(unsigned bit) const { return tile.groupLanes >> bit & 1; }
  bool coversInnerOnce() const;
  SmallVector<uint64_t> registersAlongK() const;
  SmallVector<uint64_t> groupsAlongK() const;
  SmallVector<Index> corners();
  SmallVector<MatrixStep> exactSteps();
  MatrixStep stepAt(const Index &corner, ArrayRef<uint64_t> inner, uint64_t groupOffset);
  MatrixStep exactStepAt(const Index &corner, uint64_t number);
  void appendResult(MatrixStep &step, const Index &corner);

  const LinearLayout &a, &b, &d;
  const MatrixTile &tile;
  unsigned rank;
  Dim row, column; // of D; A's columns and B's rows are K
  SmallVector<Dim> batches;
  Finder inA, inB, inD;
};

} // namespace

/// Warps and blocks share rows and columns among them, and never K.
bool MatrixPlanner::warpsAgree() const {
  SmallVector<Dim> rows = batches, columns = batches;
  rows.push_back(row);
  columns.push_back(column);
  return llvm::all_of(ArrayRef({Dim::warp(), Dim::block()}), [&](Dim in) {
    return moveAlike(a, d, in, rows) && moveAlike(b, d, in, columns) && a.isZero({in}, {column}) &&
           b.isZero({in}, {row});
  });
}

/// Returns whether lane bit `bit` moves by `along` rows and `across` columns and along no batch. If
/// the tensor is smaller than the fragment, places beyond it repeat those in it.
bool MatrixPlanner::laneMoves(const LinearLayout &layout, unsigned bit, uint64_t along,
                              uint64_t across) const {
  auto wanted = [&](Dim dim) { return dim == row ? along : dim == column ? across : 0; };
  return llvm::all_of(layout.outDims(), [&](Dim dim) {
    return layout.basis(Dim::lane(), bit, dim) == (wanted(dim) & (layout.outSize(dim) - 1));
  });
}

bool MatrixPlanner::lanesAgree() const {
  unsigned bits = tile.d.inBits(Dim::lane());
  for (const LinearLayout *layout : {&a, &b, &d})
    if (layout->inBits(Dim::lane()) != bits)
      return false;
  auto at = [](const LinearLayout &map, unsigned bit, Dim dim) {
    return map.basis(Dim::lane(), bit, dim);
  };
  for (unsigned bit = 0; bit < bits; ++bit) {
    if (tile.isExact) {
      if (!laneMoves(a, bit, at(tile.a, bit, first), at(tile.a, bit, second)) ||
          !laneMoves(b, bit, at(tile.b, bit, first), at(tile.b, bit, second)) ||
          !laneMoves(d, bit, at(tile.d, bit, first), at(tile.d, bit, second)))
        return false;
      continue;
    }
    // Any distance along K will do, if it is the same for both operands.
    uint64_t k = innerOf(bit);
    bool movesInner = at(tile.a, bit, second) != 0;
    if ((!movesInner && k != 0) ||
        (at(tile.b, bit, first) != 0) != (movesInner && !isGroupBit(bit)))
      return false;
    if (!laneMoves(a, bit, at(tile.a, bit, first), k) ||
        !laneMoves(b, bit, isGroupBit(bit) ? 0 : k, at(tile.b, bit, second)) ||
        !laneMoves(d, bit, at(tile.d, bit, first), at(tile.d, bit, second)))
      return false;
  }
  return true;
}

/// The operands' registers in an instruction walk along K in the same order.
bool MatrixPlanner::registersAgree() const {
  auto inner = [](const LinearLayout &map, Dim k) {
    SmallVector<uint64_t> distances;
    for (unsigned bit = 0; bit < map.inBits(Dim::reg()); ++bit)
      if (uint64_t distance = map.basis(Dim::reg(), bit, k))
        distances.push_back(distance);
    return distances;
  };
  return inner(tile.a, second) == inner(tile.b, first);
}

/// Returns the sums of all subsets of `distances`: subset i has the distances of i's bits.
static SmallVector<uint64_t> spans(ArrayRef<uint64_t> distances) {
  SmallVector<uint64_t> sums = {0};
  for (uint64_t distance : distances)
    for (unsigned i = 0, n = sums.size(); i < n; ++i)
      sums.push_back(sums[i] ^ distance);
  return sums;
}

/// Returns the distances along K of A's registers, in their order.
SmallVector<uint64_t> MatrixPlanner::registersAlongK() const {
  SmallVector<uint64_t> distances;
  for (unsigned bit = 0; bit < a.inBits(Dim::reg()); ++bit)
    if (uint64_t k = a.basis(Dim::reg(), bit, column))
      distances.push_back(k);
  return spans(distances);
}

/// Returns the distances along K of the groups of lanes that broadcast.
SmallVector<uint64_t> MatrixPlanner::groupsAlongK() const {
  SmallVector<uint64_t> distances;
  for (unsigned bit = 0; bit < tile.d.inBits(Dim::lane()); ++bit)
    if (isGroupBit(bit))
      distances.push_back(innerOf(bit));
  return spans(distances);
}

/// Registers and lanes of A meet each index along K once.
bool MatrixPlanner::coversInnerOnce() const {
  SmallVector<uint64_t> bases;
  for (unsigned bit = 0; bit < a.inBits(Dim::reg()); ++bit)
    if (uint64_t k = a.basis(Dim::reg(), bit, column))
      bases.push_back(k);
  for (unsigned bit = 0; bit < a.inBits(Dim::lane()); ++bit)
    if (tile.a.basis(Dim::lane(), bit, second) != 0)
      bases.push_back(innerOf(bit));
  unsigned bits = a.outBits(column);
  return bases.size() == bits && F2Matrix::fromColumns(bases, bits).rank() == bits;
}

/// Returns the index of each register of D that holds an instruction's first element.
SmallVector<Index> MatrixPlanner::corners() {
  uint64_t rows = 0, columns = 0; // the bits that a tile's registers cover
  for (unsigned bit = 0; bit < tile.d.inBits(Dim::reg()); ++bit) {
    rows |= tile.d.basis(Dim::reg(), bit, first);
    columns |= tile.d.basis(Dim::reg(), bit, second);
  }
  SmallVector<Index> result;
  for (unsigned reg = 0; reg < d.inSize(Dim::reg()); ++reg) {
    Index index = registerIndex(d, reg);
    bool isCorner = (index[rank - 2] & rows) == 0 && (index[rank - 1] & columns) == 0;
    if (isCorner && inD.at(index) == reg)
      result.push_back(index);
  }
  return result;
}

MatrixStep MatrixPlanner::stepAt(const Index &corner, ArrayRef<uint64_t> inner,
                                 uint64_t groupOffset) {
  MatrixStep step;
  // For each register of a fragment: its place, and which of the thread's elements along K it is.
  auto append = [&](const LinearLayout &map, Dim k, auto add) {
    for (unsigned reg = 0; reg < map.inSize(Dim::reg()); ++reg) {
      unsigned number = 0, counted = 0;
      for (unsigned bit = 0; bit < map.inBits(Dim::reg()); ++bit)
        if (map.basis(Dim::reg(), bit, k) != 0)
          number |= (reg >> bit & 1) << counted++;
      Index place = registerIndex(map, reg);
      add(place, inner[number]);
    }
  };
  append(tile.a, second, [&](const Index &place, uint64_t k) {
    Index index = corner;
    index[rank - 2] ^= place[0];
    index[rank - 1] = k;
    step.a.push_back(inA.at(index));
  });
  append(tile.b, first, [&](const Index &place, uint64_t k) {
    Index index = corner;
    index[rank - 2] = k ^ groupOffset;
    index[rank - 1] ^= place[1];
    step.b.push_back(inB.at(index));
  });
  appendResult(step, corner);
  return step;
}

void MatrixPlanner::appendResult(MatrixStep &step, const Index &corner) {
  for (unsigned reg = 0; reg < tile.d.inSize(Dim::reg()); ++reg) {
    Index index = corner, place = registerIndex(tile.d, reg);
    index[rank - 2] ^= place[0];
    index[rank - 1] ^= place[1];
    step.d.push_back(inD.at(index));
  }
}

/// The instruction at `corner` that is at place `number` along K.
MatrixStep MatrixPlanner::exactStepAt(const Index &corner, uint64_t number) {
  MatrixStep step;
  for (unsigned reg = 0; reg < tile.a.inSize(Dim::reg()); ++reg) {
    Index index = corner, place = registerIndex(tile.a, reg);
    index[rank - 2] ^= place[0];
    index[rank - 1] = number * tile.a.outSize(second) + place[1];
    step.a.push_back(inA.at(index));
  }
  for (unsigned reg = 0; reg < tile.b.inSize(Dim::reg()); ++reg) {
    Index index = corner, place = registerIndex(tile.b, reg);
    index[rank - 2] = number * tile.b.outSize(first) + place[0];
    index[rank - 1] ^= place[1];
    step.b.push_back(inB.at(index));
  }
  appendResult(step, corner);
  return step;
}

SmallVector<MatrixStep> MatrixPlanner::exactSteps() {
  SmallVector<MatrixStep> steps;
  uint64_t count = a.outSize(column) / tile.a.outSize(second);
  if (count * tile.b.outSize(first) != b.outSize(row))
    return steps;
  SmallVector<Index> starts = corners();
  for (uint64_t number = 0; number < count; ++number)
    for (const Index &corner : starts)
      steps.push_back(exactStepAt(corner, number));
  return steps;
}

std::optional<SmallVector<MatrixStep>> MatrixPlanner::plan() {
  if (!warpsAgree() || !lanesAgree())
    return std::nullopt;
  if (tile.isExact) {
    SmallVector<MatrixStep> steps = exactSteps();
    bool isComplete = inA.complete && inB.complete && inD.complete && !steps.empty();
    return isComplete ? std::optional(steps) : std::nullopt;
  }
  if (!registersAgree() || !coversInnerOnce())
    return std::nullopt;
  unsigned perThread = 1; // elements along K of one instruction
  for (unsigned bit = 0; bit < tile.a.inBits(Dim::reg()); ++bit)
    perThread *= tile.a.basis(Dim::reg(), bit, second) != 0 ? 2 : 1;
  SmallVector<uint64_t> offsets = registersAlongK(), groups = groupsAlongK();
  if (offsets.size() % perThread != 0)
    return std::nullopt;
  SmallVector<Index> starts = corners();
  SmallVector<MatrixStep> steps;
  for (unsigned k = 0; k < offsets.size(); k += perThread)
    for (auto [group, groupOffset] : llvm::enumerate(groups))
      for (const Index &corner : starts) {
        steps.push_back(stepAt(corner, ArrayRef(offsets).slice(k, perThread), groupOffset));
        steps.back().group = group;
      }
  if (!inA.complete || !inB.complete || !inD.complete)
    return std::nullopt;
  return steps;
}

std::optional<SmallVector<MatrixStep>> tessera::planMatrix(const LinearLayout &a,
                                                           const LinearLayout &b,
                                                           const LinearLayout &d,
                                                           const MatrixTile &tile) {
  return MatrixPlanner(a, b, d, tile).plan();
}

SmallVector<unsigned> tessera::arrangeWarps(ArrayRef<int64_t> shape, unsigned count,
                                            const WarpSharing &sharing) {
  unsigned rank = shape.size();
  SmallVector<unsigned> warps(rank, 1);
  // Products of a batch have nothing in common.
  if (rank == 3) {
    warps[0] = std::min<int64_t>(count, shape[0]);
    count /= warps[0];
  }
  int64_t rows = shape[rank - 2], columns = shape[rank - 1]; // of one warp
  for (; count > 1; count /= 2) {
    bool canSplitRows = rows > sharing.rows, canSplitColumns = columns > sharing.columns;
    bool prefersRows = sharing.chained ? *sharing.chained == 0
                                       : rows * sharing.rowCost >= columns * sharing.columnCost;
    bool splitsRows =
        prefersRows ? canSplitRows || !canSplitColumns : canSplitRows && !canSplitColumns;
    warps[splitsRows ? rank - 2 : rank - 1] *= 2;
    (splitsRows ? rows : columns) /= 2;
  }
  return warps;
}
