//===- SharedLayouts.cpp - layouts of buffers in shared memory ------------===//
// A buffer is described by the element at each offset 2^b, lowest bit first. In a swizzled buffer
// some of these bits move along two dimensions.
//===----------------------------------------------------------------------===//
#include "FitToShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

static const Dim offset = Dim::offset();

namespace {
/// Collects the bases of the offset, lowest bit first, for the part of one CTA.
class OffsetBits {
public:
  explicit OffsetBits(ArrayRef<int64_t> shape) : shape(shape), covered(shape.size(), 1) {}

  /// Adds bits along `dim` until `size` (or the whole dimension) is covered.
  void walk(unsigned dim, int64_t size) {
    for (; covered[dim] < std::min(size, shape[dim]); covered[dim] *= 2) {
      BasisVector basis(shape.size(), 0);
      basis[dim] = covered[dim];
      bits.push_back(basis);
    }
  }
  void walkRest(unsigned dim) { walk(dim, shape[dim]); }

  /// Adds the next bit of `row`, with `swizzle` xored into the column.
  void walkSwizzledBit(unsigned row, unsigned column, int64_t swizzle) {
    BasisVector basis(shape.size(), 0);
    basis[row] = covered[row];
    basis[column] = swizzle % shape[column];
    bits.push_back(basis);
    covered[row] *= 2;
  }
  void replicate() { bits.push_back(BasisVector(shape.size(), 0)); }
  bool isCovered(unsigned dim, int64_t size) const {
    return covered[dim] >= std::min(size, shape[dim]);
  }

  LinearLayout layout() const {
    SmallVector<DimBits> outs;
    for (unsigned d = 0; d < shape.size(); ++d)
      outs.push_back({Dim::axis(d), log2Exact(shape[d])});
    return LinearLayout::fromBases(DimBases{offset, bits}, outs)
        .value_or(unitTile({offset}, shape.size()));
  }

private:
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> covered;
  SmallVector<BasisVector> bits;
};
} // namespace

//===----------------------------------------------------------------------===//
// Swizzled
//===----------------------------------------------------------------------===//

/// `phase` returns the chunk number that is xored into each row; it must be linear.
template <typename Phase>
static LinearLayout swizzledRows(ArrayRef<int64_t> shape, const SwizzledSharedParams &params,
                                 Phase phase) {
  SmallVector<int64_t> perCTA = shapePerCTA(shape, params.cga);
  OffsetBits bits(perCTA);
  bits.walkRest(params.order[0]);
  if (shape.size() > 1)
    for (int64_t row = 1; row < perCTA[params.order[1]]; row *= 2)
      bits.walkSwizzledBit(params.order[1], params.order[0], params.vec * phase(row));
  for (unsigned d : ArrayRef(params.order).drop_front(std::min<size_t>(2, shape.size())))
    bits.walkRest(d);
  return bits.layout() * cgaLayout(shape, params.cga);
}

LinearLayout tessera::swizzledSharedLayout(ArrayRef<int64_t> shape,
                                           const SwizzledSharedParams &params) {
  return swizzledRows(shape, params,
                      [&](int64_t row) { return row / params.perPhase % params.maxPhase; });
}

LinearLayout tessera::rotatingSharedLayout(ArrayRef<int64_t> shape,
                                           const SwizzledSharedParams &params) {
  return swizzledRows(shape, params, [&](int64_t row) {
    int64_t period = row / params.perPhase;
    return period % params.maxPhase ^ period / params.maxPhase % params.maxPhase;
  });
}

LinearLayout tessera::rowMajorSharedLayout(ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                                           const CgaBases &cga) {
  return swizzledSharedLayout(
      shape,
      {.vec = 1, .perPhase = 1, .maxPhase = 1, .order = SmallVector<unsigned>(order), .cga = cga});
}

uint64_t tessera::paddedOffset(uint64_t offset, ArrayRef<PaddingInterval> intervals) {
  uint64_t padding = 0;
  for (const PaddingInterval &i : intervals)
    padding += offset / i.interval * i.padding;
  return offset + padding;
}

//===----------------------------------------------------------------------===//
// NVMMA
//===----------------------------------------------------------------------===//

/// The size limit of a TMA box in each dimension (CUDA driver API, cuTensorMapEncodeTiled: boxDim
/// <= 256).
static constexpr int64_t maxBox = 256;

static LinearLayout unswizzledBoxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> perCTA,
                                    const NvmmaSharedParams &params) {
  OffsetBits bits(perCTA);
  // Two fp4 values share a byte here, and the box counts values.
  unsigned last = shape.size() - 1;
  bits.walk(last, params.fp4Padded ? maxBox / 2 : maxBox);
  for (unsigned d : minorLast(last))
    bits.walk(d, maxBox);
  for (unsigned d : minorLast(shape.size()))
    bits.walkRest(d);
  return bits.layout() * cgaLayout(shape, params.cga);
}

LinearLayout tessera::nvmmaSharedLayout(ArrayRef<int64_t> shape, const NvmmaSharedParams &params) {
  SmallVector<int64_t> perCTA = shapePerCTA(shape, params.cga);
  if (params.swizzlingByteWidth == 0)
    return unswizzledBoxes(shape, perCTA, params);

  unsigned rank = shape.size();
  unsigned column = params.transposed ? 0 : rank - 1;
  unsigned chunk = 128 / params.elementBitWidth; // elements in 16 bytes
  unsigned perPhase = 128 / params.swizzlingByteWidth;
  unsigned maxPhase = params.swizzlingByteWidth / 16;
  unsigned width = 8 * params.swizzlingByteWidth / params.elementBitWidth;

  // One row. With padding, offset bit 3 steps from 8 bytes of data to 8 of padding.
  OffsetBits bits(perCTA);
  if (params.fp4Padded) {
    bits.walk(column, 8);
    bits.replicate();
    chunk /= 2, width /= 2;
  }
  bits.walk(column, width);

  // The rows of a box, with all other dimensions merged. The swizzle repeats every perPhase *
  // maxPhase = 8 rows.
  int64_t row = 1;
  for (unsigned d : minorLast(rank)) {
    if (d == column)
      continue;
    for (; !bits.isCovered(d, maxBox); row *= 2)
      bits.walkSwizzledBit(d, column, chunk * (row / perPhase % maxPhase));
  }
  for (unsigned d = 0; d < rank; ++d)
    bits.walkRest(d);
  return bits.layout() * cgaLayout(shape, params.cga);
}

unsigned tessera::chooseSwizzlingByteWidth(ArrayRef<int64_t> shapePerCTA, unsigned contiguousDim,
                                           unsigned elementBitWidth, bool fp4Padded) {
  int64_t rows = 1;
  for (auto [d, size] : llvm::enumerate(shapePerCTA))
    if (d != contiguousDim)
      rows *= size;
  if (shapePerCTA.size() < 2 || rows < 8)
    return 0;
  int64_t bytes = shapePerCTA[contiguousDim] * elementBitWidth / 8 * (fp4Padded ? 2 : 1);
  for (unsigned width : {128, 64, 32})
    if (bytes >= width && bytes % width == 0)
      return width;
  return 0;
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

std::optional<std::string> tessera::whyInvalid(const SwizzledSharedParams &params) {
  unsigned rank = params.order.size();
  if (rank == 0 || rank > Dim::maxRank)
    return llvm::formatv("rank {0} is not between 1 and {1}", rank, Dim::maxRank).str();
  if (auto why = whyInvalidOrder(params.order, rank))
    return why;
  for (auto [name, value] : {std::pair("vec", params.vec), std::pair("perPhase", params.perPhase),
                             std::pair("maxPhase", params.maxPhase)})
    if (!isPowerOfTwo(value) || value > 1u << 20)
      return llvm::formatv("{0} {1} is not a power of two up to 2^20", name, value).str();
  return whyInvalidCga(params.cga, rank);
}

std::optional<std::string> tessera::whyInvalid(const SwizzledSharedParams &params,
                                               ArrayRef<int64_t> shape) {
  if (auto why = whyInvalid(params))
    return why;
  return whyInvalidShape(shape, params.order.size());
}

std::optional<std::string> tessera::whyInvalid(const NvmmaSharedParams &params) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, params.swizzlingByteWidth))
    return llvm::formatv("swizzlingByteWidth {0} is not 0, 32, 64 or 128",
                         params.swizzlingByteWidth)
        .str();
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, params.elementBitWidth))
    return llvm::formatv("elementBitWidth {0} is not 8, 16, 32 or 64", params.elementBitWidth)
        .str();
  if (params.fp4Padded && params.elementBitWidth != 8)
    return "fp4Padded needs elementBitWidth 8";
  if (params.rank == 0 || params.rank > Dim::maxRank)
    return llvm::formatv("rank {0} is not between 1 and {1}", params.rank, Dim::maxRank).str();
  if (params.transposed && params.rank != 2)
    return llvm::formatv("a transposed nvmma layout has rank 2, not {0}", params.rank).str();
  if (params.swizzlingByteWidth != 0 && params.rank < 2)
    return "a swizzled nvmma layout has rank 2 or more";
  return whyInvalidCga(params.cga, params.rank);
}

std::optional<std::string> tessera::whyInvalid(const NvmmaSharedParams &params,
                                               ArrayRef<int64_t> shape) {
  if (auto why = whyInvalid(params))
    return why;
  if (auto why = whyInvalidShape(shape, params.rank))
    return why;
  if (params.swizzlingByteWidth == 0)
    return std::nullopt;
  SmallVector<int64_t> perCTA = shapePerCTA(shape, params.cga);
  unsigned widest = chooseSwizzlingByteWidth(perCTA, params.transposed ? 0 : params.rank - 1,
                                             params.elementBitWidth, params.fp4Padded);
  if (widest < params.swizzlingByteWidth)
    return llvm::formatv("a swizzle of {0} bytes needs 8 rows of {0} bytes in each CTA",
                         params.swizzlingByteWidth)
        .str();
  return std::nullopt;
}
