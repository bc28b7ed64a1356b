//===- Wgmma.cpp - the warp group's matrix instruction, wgmma -------------===//
// Source: PTX ISA, "Asynchronous warpgroup-level matrix instructions": tables of types,
// shared memory layouts, matrix descriptors, register fragments.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Wgmma.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include "tessera/Target/NVIDIA/Mma.h"
#include "llvm/ADT/bit.h"

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

uint64_t WgmmaBuffer::offsetOf(uint64_t outer, uint64_t inner) const {
  uint64_t offset = 0;
  for (auto [bit, bytes] : llvm::enumerate(outerBytes))
    offset += (outer >> bit & 1) * bytes;
  for (auto [bit, bytes] : llvm::enumerate(innerBytes))
    offset += (inner >> bit & 1) * bytes;
  return offset;
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
static bool isSum(ArrayRef<uint64_t> outer, ArrayRef<uint64_t> inner) {
  uint64_t seen = 0;
  for (ArrayRef<uint64_t> bits : {outer, inner})
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
    if (!isSum(buffer.outerBytes, buffer.innerBytes))
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

static const Dim kRow = Dim::axis(0), kColumn = Dim::axis(1);

/// Returns whether bit `bit` of `in` moves by exactly (row, column).
static bool moves(const LinearLayout &layout, Dim in, unsigned bit, uint64_t row, uint64_t column) {
  return layout.basis(in, bit, kRow) == row && layout.basis(in, bit, kColumn) == column;
}

/// Returns whether lanes and the warps of a group hold the rows of a fragment, with columns of
/// lanes `perLane` apart.
static bool hasFragmentRows(const LinearLayout &layout, uint64_t perLane) {
  if (layout.inBits(Dim::lane()) != 5 || layout.inBits(Dim::warp()) < 2)
    return false;
  for (unsigned bit = 0; bit < 2; ++bit)
    if (!moves(layout, Dim::lane(), bit, 0, perLane << bit) ||
        !moves(layout, Dim::warp(), bit, uint64_t(16) << bit, 0))
      return false;
  for (unsigned bit = 2; bit < 5; ++bit)
    if (!moves(layout, Dim::lane(), bit, uint64_t(1) << (bit - 2), 0))
      return false;
  return true;
}

/// Returns whether warp groups are apart by whole tiles of D, and A's registers likewise.
static bool groupsAgree(const LinearLayout &d, const LinearLayout *registersOfA, unsigned columns) {
  for (unsigned bit = 2; bit < d.inBits(Dim::warp()); ++bit) {
    uint64_t row = d.basis(Dim::warp(), bit, kRow), column = d.basis(Dim::warp(), bit, kColumn);
    if (row % kWgmmaRows || column % columns)
      return false;
    if (registersOfA && !moves(*registersOfA, Dim::warp(), bit, row, 0))
      return false;
  }
  return true;
}

namespace {
/// Looks registers up; remembers whether one was missing or occurred twice.
class RegisterFinder {
public:
  explicit RegisterFinder(const LinearLayout &layout)
      : lookup(layout), isUsed(layout.inSize(Dim::reg())) {}
  unsigned at(uint64_t row, uint64_t column) {
    std::optional<unsigned> reg = lookup.find({row, column});
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
  bool isComplete = true;
};
} // namespace

static WgmmaChain makeChain(uint64_t row, uint64_t column, uint64_t inner, WgmmaPlan &plan,
                            RegisterFinder *inA, RegisterFinder &inD, const WgmmaTypes &types) {
  WgmmaChain chain;
  for (unsigned j = 0; j < plan.columns; j += 8)
    for (unsigned i = 0; i < 16; i += 8)
      for (unsigned h = 0; h < 2; ++h)
        chain.d.push_back(inD.at(row + i, column + j + h));
  unsigned perWord = 4 / types.bytes();
  for (uint64_t k = 0; k < inner; k += types.inner()) {
    WgmmaStep &step = chain.steps.emplace_back();
    step.b = plan.b.offsetOf(column, k);
    if (plan.a)
      step.a = plan.a->offsetOf(row, k);
    // Words: both rows of the first half of K, then of the second.
    for (unsigned half = 0; inA && half < types.inner(); half += types.inner() / 2)
      for (unsigned i = 0; i < 16; i += 8)
        for (unsigned word = 0; word < perWord; ++word)
          step.registers.push_back(inA->at(row + i, k + half + word));
  }
  return chain;
}

std::optional<WgmmaPlan> nvidia::planWgmma(const LinearLayout &a, const LinearLayout &b,
                                           const LinearLayout &d, unsigned columns,
                                           const WgmmaTypes &types) {
  bool isShared = a.hasIn(Dim::offset());
  if (!hasFragmentRows(d, 2) || (!isShared && !hasFragmentRows(a, 4 / types.bytes())) ||
      !groupsAgree(d, isShared ? nullptr : &a, columns))
    return std::nullopt;
  WgmmaPlan plan;
  plan.columns = columns;
  std::optional<WgmmaBuffer> right = describeWgmmaBuffer(b, kColumn, kRow, columns, types);
  if (isShared)
    plan.a = describeWgmmaBuffer(a, kRow, kColumn, kWgmmaRows, types);
  if (!right || (isShared && !plan.a))
    return std::nullopt;
  plan.b = *right;

  RegisterFinder inD(d), inA(isShared ? d : a);
  uint64_t inner = std::max(a.outSize(kColumn), types.inner() * uint64_t(1));
  for (unsigned reg = 0; reg < d.inSize(Dim::reg()); ++reg) {
    SmallVector<uint64_t, 4> index = registerIndex(d, reg);
    if (index[0] % kWgmmaRows == 0 && index[1] % columns == 0)
      plan.chains.push_back(
          makeChain(index[0], index[1], inner, plan, isShared ? nullptr : &inA, inD, types));
  }
  if (!inD.foundAll() || !inD.usedAll() || (!isShared && !inA.foundAll()))
    return std::nullopt;
  for (unsigned bit = 2; bit < d.inBits(Dim::warp()); ++bit) {
    plan.groupA.push_back(plan.a ? plan.a->offsetOf(d.basis(Dim::warp(), bit, kRow), 0) : 0);
    plan.groupB.push_back(plan.b.offsetOf(d.basis(Dim::warp(), bit, kColumn), 0));
  }
  return plan;
}
