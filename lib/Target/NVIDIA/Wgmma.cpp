//===- Wgmma.cpp - the warp group's matrix instruction, wgmma -------------===//
// Source: PTX ISA, "Asynchronous warpgroup-level matrix instructions": tables of types,
// shared memory layouts, matrix descriptors, register fragments.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Wgmma.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "tessera/Target/NVIDIA/Mma.h"
#include "llvm/ADT/bit.h"
#include <array>

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<WgmmaTypes> nvidia::findWgmma(const NvidiaSpec &spec, Type a, Type b, Type d,
                                            tt::InputPrecision precision) {
  if (!spec.hasWarpGroupMMA())
    return std::nullopt;
  StringRef sum = d.isF16() ? "f16" : "f32";
  bool isHalfOrSingle = d.isF16() || d.isF32();
  auto types = [&](unsigned bits, StringRef left, StringRef right, bool canTranspose) {
    return WgmmaTypes{bits, (sum + "." + left + "." + right).str(), canTranspose, false};
  };
  if (!nameOfFP8(a).empty() && !nameOfFP8(b).empty() && isHalfOrSingle)
    return types(8, nameOfFP8(a), nameOfFP8(b), false);
  if (a != b)
    return std::nullopt;
  if (a.isF16() && isHalfOrSingle)
    return types(16, "f16", "f16", true);
  if (a.isBF16() && d.isF32())
    return types(16, "bf16", "bf16", true);
  // The unit reads the upper 19 bits of each float and ignores the rest.
  if (a.isF32() && d.isF32() && precision == tt::InputPrecision::TF32)
    return types(32, "tf32", "tf32", false);
  if (a.isInteger(8) && d.isInteger(32))
    return WgmmaTypes{8, "s32.s8.s8", false, true};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static uint64_t sumOfBits(ArrayRef<uint64_t> bytes, uint64_t coordinate) {
  uint64_t sum = 0;
  for (auto [bit, each] : llvm::enumerate(bytes))
    sum += (coordinate >> bit & 1) * each;
  return sum;
}

uint64_t WgmmaBuffer::offsetOf(uint64_t outer, uint64_t inner, uint64_t batch) const {
  return sumOfBits(outerBytes, outer) + sumOfBits(innerBytes, inner) + sumOfBits(batchBytes, batch);
}

/// A swizzle of `width` bytes (0: none) is its own inverse.
static uint64_t unswizzle(uint64_t address, unsigned width) {
  uint64_t mask = width == 0 ? 0 : width - 16; // the bits of 16-byte chunks in a row
  return address ^ (address >> 3 & mask);
}

/// The bytes of each bit of coordinate `dim`, unswizzled.
static SmallVector<uint64_t, 8> bytesOfBits(const LinearLayout &offsets, Dim dim, unsigned bytes,
                                            unsigned width) {
  SmallVector<uint64_t, 8> result;
  for (unsigned bit = 0; bit < offsets.inBits(dim); ++bit)
    result.push_back(unswizzle(offsets.basis(dim, bit, Dim::offset()) * bytes, width));
  return result;
}

/// Returns whether bits `first` to `last` - 1 of a coordinate add `start`, 2 * `start`, ...
static bool areConsecutive(ArrayRef<uint64_t> bytes, unsigned first, unsigned last,
                           uint64_t start) {
  if (last > bytes.size())
    return false;
  for (unsigned bit = first; bit < last; ++bit)
    if (bytes[bit] != start << (bit - first))
      return false;
  return true;
}

/// Returns whether an offset is the sum of its bits' offsets: each is a different power of two.
static bool isSum(const WgmmaBuffer &buffer) {
  uint64_t seen = 0;
  for (ArrayRef<uint64_t> bits : {buffer.outerBytes, buffer.innerBytes, buffer.batchBytes})
    for (uint64_t bytes : bits) {
      if (llvm::popcount(bytes) != 1 || (seen & bytes))
        return false;
      seen |= bytes;
    }
  return true;
}

namespace {
/// The fields of a descriptor for a tile: a swizzle, and the bytes between its parts.
struct TileStrides {
  unsigned width; // of the swizzle
  uint64_t leading, stride;
};
} // namespace

static uint64_t encodeDescriptor(const TileStrides &tile) {
  uint64_t swizzle = tile.width == 128 ? 1 : tile.width == 64 ? 2 : tile.width == 32 ? 3 : 0;
  return (tile.leading >> 4 & 0x3FFF) << 16 | (tile.stride >> 4 & 0x3FFF) << 32 | swizzle << 62;
}

/// The strides of tiles whose `contiguous` coordinate runs along rows of 16 bytes or of
/// `width` bytes, eight of which make up a block (PTX ISA: core matrix, swizzle atom). The
/// tile has `contiguousBits` and `crossBits` bits of the coordinates.
static std::optional<TileStrides> matchTile(ArrayRef<uint64_t> contiguous, ArrayRef<uint64_t> cross,
                                            unsigned contiguousBits, unsigned crossBits,
                                            unsigned bytes, unsigned width, bool isTransposed) {
  unsigned rowBits = llvm::Log2_32((width == 0 ? 16 : width) / bytes);
  unsigned inRow = std::min(rowBits, contiguousBits);
  if (crossBits < 3 || !areConsecutive(contiguous, 0, inRow, bytes) ||
      !areConsecutive(cross, 0, 3, width == 0 ? 16 : width))
    return std::nullopt;
  // The bytes between blocks, along the rows and across them.
  uint64_t along = contiguousBits > rowBits ? contiguous[rowBits] : 0;
  uint64_t across = crossBits > 3 ? cross[3] : 0;
  if ((along && !areConsecutive(contiguous, rowBits, contiguousBits, along)) ||
      (across && !areConsecutive(cross, 3, crossBits, across)))
    return std::nullopt;
  TileStrides tile{width, along, across};
  // Leading and stride are exchanged without a swizzle along M or N. Along K with a swizzle there
  // is one block, so the unit ignores the leading field.
  if (width == 0 && isTransposed)
    std::swap(tile.leading, tile.stride);
  if (width != 0 && !isTransposed)
    tile.leading = 16;
  return tile;
}

std::optional<WgmmaBuffer> nvidia::describeWgmmaBuffer(const LinearLayout &layout, Dim outer,
                                                       Dim inner, unsigned rows,
                                                       const WgmmaTypes &types) {
  std::optional<LinearLayout> offsets = layout.pseudoinvert();
  if (!offsets || offsets->inSize(outer) < rows || offsets->inSize(inner) < types.inner() ||
      !layout.isInjective())
    return std::nullopt;
  unsigned outerBits = llvm::Log2_32(rows), innerBits = llvm::Log2_32(types.inner());
  for (unsigned width : {128, 64, 32, 0}) {
    WgmmaBuffer buffer;
    buffer.outerBytes = bytesOfBits(*offsets, outer, types.bytes(), width);
    buffer.innerBytes = bytesOfBits(*offsets, inner, types.bytes(), width);
    for (Dim dim : layout.outDims())
      if (dim != outer && dim != inner)
        buffer.batchBytes.append(bytesOfBits(*offsets, dim, types.bytes(), width));
    if (!isSum(buffer))
      continue;
    for (bool isTransposed : {false, true}) {
      if (isTransposed && !types.canTranspose)
        continue;
      std::optional<TileStrides> tile =
          isTransposed ? matchTile(buffer.outerBytes, buffer.innerBytes, outerBits, innerBits,
                                   types.bytes(), width, true)
                       : matchTile(buffer.innerBytes, buffer.outerBytes, innerBits, outerBits,
                                   types.bytes(), width, false);
      // The fields of strides have 14 bits.
      if (!tile || tile->leading >> 18 || tile->stride >> 18)
        continue;
      buffer.descriptor = encodeDescriptor(*tile);
      buffer.isTransposed = isTransposed;
      return buffer;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// Where a matrix, or each of a batch, has its rows and columns.
struct Axes {
  explicit Axes(const LinearLayout &layout)
      : rank(layout.outs().size()), row(Dim::axis(rank - 2)), column(Dim::axis(rank - 1)) {}
  unsigned rank;
  Dim row, column;
  Dim batch() const { return Dim::axis(0); }
  bool hasBatch() const { return rank > 2; }
};

/// An element of a batch of matrices.
struct Place {
  uint64_t batch = 0, row = 0, column = 0;
  friend bool operator==(const Place &, const Place &) = default;
};
} // namespace

/// Returns the distance by which bit `bit` of `in` moves.
static Place moveOf(const LinearLayout &layout, Dim in, unsigned bit) {
  Axes axes(layout);
  return {axes.hasBatch() ? layout.basis(in, bit, axes.batch()) : 0,
          layout.basis(in, bit, axes.row), layout.basis(in, bit, axes.column)};
}

/// The rows of D that the six bits of a fragment's row stand for: lanes, registers, warps.
using FragmentRows = std::array<uint64_t, 6>;

static uint64_t maskOf(const FragmentRows &rows) {
  uint64_t mask = 0;
  for (uint64_t row : rows)
    mask |= row;
  return mask;
}

/// Returns nothing unless lanes, registers and the warps of a group hold rows, one bit each.
static std::optional<FragmentRows> findFragmentRows(const LinearLayout &d) {
  if (d.inBits(Dim::lane()) != 5 || d.inBits(Dim::warp()) < 2)
    return std::nullopt;
  Place moves[6];
  for (unsigned bit = 0; bit < 3; ++bit)
    moves[bit] = moveOf(d, Dim::lane(), bit + 2);
  for (unsigned bit = 0; bit < d.inBits(Dim::reg()) && moves[3].row == 0; ++bit)
    moves[3] = moveOf(d, Dim::reg(), bit);
  for (unsigned bit = 0; bit < 2; ++bit)
    moves[bit + 4] = moveOf(d, Dim::warp(), bit);
  FragmentRows rows;
  for (auto [row, move] : llvm::zip_equal(rows, moves)) {
    if (llvm::popcount(move.row) != 1 || move != Place{0, move.row, 0})
      return std::nullopt;
    row = move.row;
  }
  return llvm::popcount(maskOf(rows)) == 6 ? std::optional(rows) : std::nullopt;
}

/// Whether lanes along columns are `perLane` apart, in a layout of D or of A in registers.
static bool hasFragmentColumns(const LinearLayout &layout, uint64_t perLane) {
  for (unsigned bit = 0; bit < 2; ++bit)
    if (moveOf(layout, Dim::lane(), bit) != Place{0, 0, perLane << bit})
      return false;
  return true;
}

/// Whether the threads of a group hold the same rows of A as of D.
static bool haveSameRows(const LinearLayout &a, const FragmentRows &rows) {
  if (a.inBits(Dim::lane()) != 5 || a.inBits(Dim::warp()) < 2)
    return false;
  for (unsigned bit = 0; bit < 3; ++bit)
    if (moveOf(a, Dim::lane(), bit + 2) != Place{0, rows[bit], 0})
      return false;
  for (unsigned bit = 0; bit < 2; ++bit)
    if (moveOf(a, Dim::warp(), bit) != Place{0, rows[bit + 4], 0})
      return false;
  return true;
}

/// Returns whether warp groups are apart by whole tiles of D, and A's registers likewise.
static bool groupsAgree(const LinearLayout &d, const LinearLayout *registersOfA, uint64_t rowMask,
                        unsigned columns) {
  for (unsigned bit = 2; bit < d.inBits(Dim::warp()); ++bit) {
    Place move = moveOf(d, Dim::warp(), bit);
    if ((move.row & rowMask) || move.column % columns)
      return false;
    if (registersOfA && moveOf(*registersOfA, Dim::warp(), bit) != Place{move.batch, move.row, 0})
      return false;
  }
  return true;
}

namespace {
/// Looks registers up; remembers whether one was missing or occurred twice.
class RegisterFinder {
public:
  explicit RegisterFinder(const LinearLayout &layout)
      : lookup(layout), isUsed(layout.inSize(Dim::reg())), hasBatch(Axes(layout).hasBatch()) {}
  unsigned at(const Place &place) {
    SmallVector<uint64_t, 3> index = {place.row, place.column};
    if (hasBatch)
      index.insert(index.begin(), place.batch);
    std::optional<unsigned> reg = lookup.find(index);
    isComplete &= reg.has_value();
    if (reg)
      isUsed[*reg] = true;
    return reg.value_or(0);
  }
  bool foundAll() const { return isComplete; }
  bool usedAll() const {
    return llvm::all_of(isUsed, [](bool used) { return used; });
  }

private:
  RegisterLookup lookup;
  std::vector<bool> isUsed;
  bool hasBatch;
  bool isComplete = true;
};
} // namespace

namespace {
/// Makes the chains of one warp group.
struct ChainMaker {
  WgmmaChain make(const Place &start);

  const WgmmaTypes &types;
  const WgmmaPlan &plan;
  uint64_t secondRow; // of the two that a thread has in a fragment
  uint64_t inner;     // K
  RegisterFinder inA, inD;
};
} // namespace

WgmmaChain ChainMaker::make(const Place &start) {
  WgmmaChain chain;
  const auto [batch, row, column] = start;
  const uint64_t rows[] = {row, row ^ secondRow};
  for (unsigned j = 0; j < plan.columns; j += 8)
    for (uint64_t i : rows)
      for (unsigned h = 0; h < 2; ++h)
        chain.d.push_back(inD.at({batch, i, column + j + h}));
  unsigned perWord = 4 / types.bytes();
  for (uint64_t k = 0; k < inner; k += types.inner()) {
    WgmmaStep &step = chain.steps.emplace_back();
    step.b = plan.b.offsetOf(column, k, batch);
    if (plan.a) {
      step.a = plan.a->offsetOf(row, k, batch);
      continue;
    }
    // Words: both rows of the first half of K, then of the second.
    for (unsigned half = 0; half < types.inner(); half += types.inner() / 2)
      for (uint64_t i : rows)
        for (unsigned word = 0; word < perWord; ++word)
          step.registers.push_back(inA.at({batch, i, k + half + word}));
  }
  return chain;
}

/// Bytes that the bits of the warp group's number add.
static void addGroupBytes(const LinearLayout &d, WgmmaPlan &plan) {
  for (unsigned bit = 2; bit < d.inBits(Dim::warp()); ++bit) {
    Place move = moveOf(d, Dim::warp(), bit);
    plan.groupA.push_back(plan.a ? plan.a->offsetOf(move.row, 0, move.batch) : 0);
    plan.groupB.push_back(plan.b.offsetOf(move.column, 0, move.batch));
  }
}

std::optional<WgmmaPlan> nvidia::planWgmma(const LinearLayout &a, const LinearLayout &b,
                                           const LinearLayout &d, unsigned columns,
                                           const WgmmaTypes &types) {
  constexpr FragmentRows inOrder = {1, 2, 4, 8, 16, 32};
  bool isShared = a.hasIn(Dim::offset());
  std::optional<FragmentRows> rows = findFragmentRows(d);
  if (!rows || !hasFragmentColumns(d, 2))
    return std::nullopt;
  if (isShared ? *rows != inOrder
               : !haveSameRows(a, *rows) || !hasFragmentColumns(a, 4 / types.bytes()))
    return std::nullopt;
  if (!groupsAgree(d, isShared ? nullptr : &a, maskOf(*rows), columns))
    return std::nullopt;
  WgmmaPlan plan;
  plan.columns = columns;
  Axes axes(d);
  std::optional<WgmmaBuffer> right = describeWgmmaBuffer(b, axes.column, axes.row, columns, types);
  if (isShared)
    plan.a = describeWgmmaBuffer(a, axes.row, axes.column, kWgmmaRows, types);
  if (!right || (isShared && !plan.a))
    return std::nullopt;
  plan.b = *right;

  uint64_t inner = std::max(a.outSize(axes.column), types.inner() * uint64_t(1));
  ChainMaker maker{
      types, plan, (*rows)[3], inner, RegisterFinder(isShared ? d : a), RegisterFinder(d)};
  SmallVector<WgmmaChain> chains;
  for (unsigned reg = 0; reg < d.inSize(Dim::reg()); ++reg) {
    SmallVector<uint64_t, 4> index = registerIndex(d, reg);
    Place place{axes.hasBatch() ? index[0] : 0, index[axes.rank - 2], index[axes.rank - 1]};
    if ((place.row & maskOf(*rows)) == 0 && place.column % columns == 0)
      chains.push_back(maker.make(place));
  }
  if (!maker.inD.foundAll() || !maker.inD.usedAll() || (!isShared && !maker.inA.foundAll()))
    return std::nullopt;
  plan.chains = std::move(chains);
  addGroupBytes(d, plan);
  return plan;
}

LinearLayout nvidia::transposeMatrix(const LinearLayout &layout) {
  SmallVector<Dim, 4> order = layout.outDims(), names = order;
  unsigned rank = order.size();
  std::swap(order[rank - 2], order[rank - 1]);
  return *layout.transposeOuts(order)->renameOuts(names);
}
