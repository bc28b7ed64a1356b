//===- DistributedLayouts.cpp - layouts of tensors over threads -----------===//
// Each function builds the tile that one CTA covers once, as a product of bits in the hardware's
// order, and fits it to the shape.
//===----------------------------------------------------------------------===//
#include "FitToShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using llvm::ArrayRef;
using llvm::SmallVector;

static const Dim reg = Dim::reg();
static const Dim lane = Dim::lane();
static const Dim warp = Dim::warp();

/// A tile of one thread, one warp and one element.
static LinearLayout threadTile(unsigned rank) { return unitTile({reg, lane, warp}, rank); }

//===----------------------------------------------------------------------===//
// Blocked and slice
//===----------------------------------------------------------------------===//

LinearLayout tessera::blockedLayout(ArrayRef<int64_t> shape, const BlockedParams &params) {
  LinearLayout tile = threadTile(shape.size());
  tile *= identityInOrder(reg, params.sizePerThread, params.order);
  tile *= identityInOrder(lane, params.threadsPerWarp, params.order);
  tile *= identityInOrder(warp, params.warpsPerCTA, params.order);
  return fitToShape(tile, shape, params.cga, params.order, reg);
}

SmallVector<int64_t> tessera::sliceParentShape(ArrayRef<int64_t> shape, unsigned dim) {
  SmallVector<int64_t> parent(shape);
  parent.insert(parent.begin() + std::min<size_t>(dim, parent.size()), 1);
  return parent;
}

LinearLayout tessera::sliceLayout(const LinearLayout &parent, unsigned dim) {
  SmallVector<Dim> kept, names;
  for (const DimBits &out : parent.outs())
    if (out.dim != Dim::axis(dim)) {
      kept.push_back(out.dim);
      names.push_back(Dim::axis(names.size()));
    }
  LinearLayout slice = parent.sublayout(parent.inDims(), kept);
  return slice.renameOuts(names).value_or(slice).removeZeroBases(reg);
}

//===----------------------------------------------------------------------===//
// Tensor-core accumulators and operands
//===----------------------------------------------------------------------===//

/// Returns the order in which warps are counted: along rows first for wgmma, whose warpgroup covers
/// 64 rows, and along columns first for mma.sync.
static SmallVector<unsigned> warpOrder(const NvidiaMmaParams &params) {
  SmallVector<unsigned> order = minorLast(params.warpsPerCTA.size());
  if (params.versionMajor >= 3)
    std::reverse(order.begin(), order.end());
  return order;
}

LinearLayout tessera::nvidiaMmaLayout(ArrayRef<int64_t> shape, const NvidiaMmaParams &params) {
  unsigned rank = shape.size();
  Dim row = Dim::axis(rank - 2), col = Dim::axis(rank - 1);
  bool isWgmma = params.versionMajor >= 3;
  unsigned rows = isWgmma ? params.instrShape[0] : params.instrShape[rank - 2];
  unsigned cols = isWgmma ? params.instrShape[1] : params.instrShape[rank - 1];

  // PTX ISA, mma.m16n8k16 and wgmma.mma_async, accumulator fragments: a thread has two adjacent
  // columns; four lanes make a row of 8, eight lanes a column of 8.
  LinearLayout tile = threadTile(rank);
  tile *= LinearLayout::identity(2, reg, col);
  tile *= LinearLayout::identity(4, lane, col);
  tile *= LinearLayout::identity(8, lane, row);
  tile *= LinearLayout::identity(rows / 8, reg, row);
  tile *= LinearLayout::identity(cols / 8, reg, col);
  tile *= identityInOrder(warp, params.warpsPerCTA, warpOrder(params));
  return fitToShape(tile, shape, params.cga, minorLast(rank), reg);
}

/// Distributes `in` like the parent, except that members along `k` hold copies.
static LinearLayout replicatedAlong(unsigned k, Dim in, ArrayRef<unsigned> sizes,
                                    ArrayRef<unsigned> order) {
  LinearLayout result = unitTile({in}, sizes.size());
  for (unsigned d : order)
    result *= d == k ? LinearLayout::zeros(sizes[d], in, Dim::axis(d))
                     : LinearLayout::identity(sizes[d], in, Dim::axis(d));
  return result;
}

/// Every CTA needs all of K: a cluster splits operands along the other dimensions.
static CgaBases withoutK(CgaBases cga, unsigned k) {
  for (BasisVector &basis : cga)
    basis[k] = 0;
  return cga;
}

LinearLayout tessera::dotOperandLayout(ArrayRef<int64_t> shape, unsigned opIdx, unsigned kWidth,
                                       const NvidiaMmaParams &parent) {
  unsigned rank = shape.size();
  unsigned k = opIdx == 0 ? rank - 1 : rank - 2;
  unsigned outer = opIdx == 0 ? rank - 2 : rank - 1;

  // PTX ISA, mma.m16n8k16, fragments of A and B: A has 16 rows, B has 8 columns.
  LinearLayout tile = threadTile(rank);
  tile *= LinearLayout::identity(kWidth, reg, Dim::axis(k));
  tile *= LinearLayout::identity(4, lane, Dim::axis(k));
  tile *= LinearLayout::identity(8, lane, Dim::axis(outer));
  if (opIdx == 0)
    tile *= LinearLayout::identity(2, reg, Dim::axis(outer));
  tile *= LinearLayout::identity(2, reg, Dim::axis(k));
  tile *= replicatedAlong(k, warp, parent.warpsPerCTA, warpOrder(parent));

  SmallVector<unsigned> repOrder = {k, outer};
  llvm::append_range(repOrder, minorLast(rank - 2)); // batches
  return fitToShape(tile, shape, withoutK(parent.cga, k), repOrder, reg);
}

LinearLayout tessera::dotOperandLayout(ArrayRef<int64_t> shape, unsigned opIdx,
                                       const BlockedParams &parent) {
  unsigned rank = shape.size();
  unsigned k = opIdx == 0 ? rank - 1 : rank - 2;
  SmallVector<unsigned> sizePerThread = parent.sizePerThread;
  sizePerThread[k] = shape[k];

  LinearLayout tile = threadTile(rank);
  tile *= identityInOrder(reg, sizePerThread, parent.order);
  tile *= replicatedAlong(k, lane, parent.threadsPerWarp, parent.order);
  tile *= replicatedAlong(k, warp, parent.warpsPerCTA, parent.order);
  return fitToShape(tile, shape, withoutK(parent.cga, k), parent.order, reg);
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

/// Folds `layout` to a smaller size of `dim`. Registers that become copies are dropped: unlike the
/// tile of a structured encoding, explicitly listed bases have no redundant registers.
static LinearLayout foldDroppingRegisters(const LinearLayout &layout, Dim dim, uint64_t size) {
  LinearLayout folded = layout.resizeOut(dim, size);
  SmallVector<unsigned> kept;
  for (unsigned bit = 0; bit < layout.inBits(reg); ++bit)
    if (folded.flatBasis(reg, bit) != 0 || layout.flatBasis(reg, bit) == 0)
      kept.push_back(bit);
  return folded.selectInBits(reg, kept);
}

LinearLayout tessera::linearLayout(ArrayRef<int64_t> shape, const LinearLayout &bases) {
  // Repeats along the dimensions that registers step through first, then the others, last to first.
  SmallVector<unsigned> repOrder;
  auto add = [&](unsigned d) {
    if (!llvm::is_contained(repOrder, d))
      repOrder.push_back(d);
  };
  for (unsigned bit = 0; bit < bases.inBits(reg); ++bit)
    for (unsigned d = 0; d < shape.size(); ++d)
      if (bases.basis(reg, bit, Dim::axis(d)) != 0)
        add(d);
  for (unsigned d : minorLast(shape.size()))
    add(d);

  LinearLayout result = bases;
  for (unsigned d : repOrder) {
    uint64_t have = result.outSize(Dim::axis(d)), want = shape[d];
    if (have < want)
      result *= LinearLayout::identity(want / have, reg, Dim::axis(d));
    else if (have > want)
      result = foldDroppingRegisters(result, Dim::axis(d), want);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

/// Sizes must be powers of two, with at most `maxBits` bits together.
static std::optional<std::string> whyInvalidSizes(llvm::StringRef name, ArrayRef<unsigned> sizes,
                                                  unsigned rank, unsigned maxBits) {
  if (sizes.size() != rank)
    return llvm::formatv("{0} has {1} entries for rank {2}", name, sizes.size(), rank).str();
  unsigned bits = 0;
  for (unsigned size : sizes) {
    if (!isPowerOfTwo(size))
      return llvm::formatv("{0} has {1}, which is not a power of two", name, size).str();
    bits += log2Exact(size);
  }
  if (bits > maxBits)
    return llvm::formatv("{0} multiplies to 2^{1}, which is above 2^{2}", name, bits, maxBits)
        .str();
  return std::nullopt;
}

// The bits that a layout may use for each level; with a shape's 40 they stay below 64.
static constexpr unsigned maxThreadBits = 12; // values of a tile per thread
static constexpr unsigned maxLaneBits = 6;
static constexpr unsigned maxWarpBits = 6;

std::optional<std::string> tessera::whyInvalid(const BlockedParams &params) {
  unsigned rank = params.order.size();
  if (rank == 0 || rank > Dim::maxRank)
    return llvm::formatv("rank {0} is not between 1 and {1}", rank, Dim::maxRank).str();
  if (auto why = whyInvalidOrder(params.order, rank))
    return why;
  if (auto why = whyInvalidSizes("sizePerThread", params.sizePerThread, rank, maxThreadBits))
    return why;
  if (auto why = whyInvalidSizes("threadsPerWarp", params.threadsPerWarp, rank, maxLaneBits))
    return why;
  if (auto why = whyInvalidSizes("warpsPerCTA", params.warpsPerCTA, rank, maxWarpBits))
    return why;
  return whyInvalidCga(params.cga, rank);
}

std::optional<std::string> tessera::whyInvalid(const BlockedParams &params,
                                               ArrayRef<int64_t> shape) {
  if (auto why = whyInvalid(params))
    return why;
  return whyInvalidShape(shape, params.order.size());
}

std::optional<std::string> tessera::whyInvalid(const NvidiaMmaParams &params) {
  unsigned rank = params.warpsPerCTA.size();
  if (params.versionMajor != 2 && params.versionMajor != 3)
    return llvm::formatv("nvidia_mma version {0} has no layout here; 2 and 3 have",
                         params.versionMajor)
        .str();
  bool isWgmma = params.versionMajor == 3;
  if (rank != 2 && (rank != 3 || isWgmma))
    return llvm::formatv("nvidia_mma version {0} with rank {1}", params.versionMajor, rank).str();
  if (auto why = whyInvalidSizes("warpsPerCTA", params.warpsPerCTA, rank, maxWarpBits))
    return why;
  if (params.instrShape.size() != (isWgmma ? 3 : rank))
    return llvm::formatv("instrShape has {0} entries", params.instrShape.size()).str();
  if (isWgmma) {
    unsigned n = params.instrShape[1];
    if (params.instrShape[0] != 16 || n < 8 || n > 256 || !isPowerOfTwo(n))
      return llvm::formatv("instrShape [{0}, {1}, ..] of wgmma: rows are 16 and columns a power "
                           "of two from 8 to 256",
                           params.instrShape[0], n)
          .str();
  } else {
    unsigned m = params.instrShape[rank - 2], n = params.instrShape[rank - 1];
    if ((m != 8 && m != 16) || n != 8 || (rank == 3 && params.instrShape[0] != 1))
      return llvm::formatv("instrShape [.., {0}, {1}] of mma.sync is not [.., 16, 8]", m, n).str();
  }
  return whyInvalidCga(params.cga, rank);
}

std::optional<std::string> tessera::whyInvalid(const NvidiaMmaParams &params,
                                               ArrayRef<int64_t> shape) {
  if (auto why = whyInvalid(params))
    return why;
  return whyInvalidShape(shape, params.warpsPerCTA.size());
}

std::optional<std::string> tessera::whyInvalidDotOperand(unsigned opIdx, unsigned kWidth,
                                                         const NvidiaMmaParams &parent) {
  if (auto why = whyInvalid(parent))
    return why;
  if (opIdx > 1)
    return llvm::formatv("opIdx {0} is neither 0 nor 1", opIdx).str();
  if (parent.versionMajor == 3 && opIdx != 0)
    return "wgmma takes only operand 0 from registers";
  if (!isPowerOfTwo(kWidth) || kWidth > 64)
    return llvm::formatv("kWidth {0} is not a power of two from 1 to 64", kWidth).str();
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidDotOperand(unsigned opIdx,
                                                         const BlockedParams &parent) {
  if (auto why = whyInvalid(parent))
    return why;
  if (opIdx > 1)
    return llvm::formatv("opIdx {0} is neither 0 nor 1", opIdx).str();
  if (parent.order.size() < 2)
    return "a dot operand needs a parent of rank 2 or more";
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidLinear(const LinearLayout &bases) {
  const Dim ins[] = {reg, lane, warp, Dim::block()};
  if (ArrayRef(bases.inDims()) != ArrayRef(ins))
    return "a linear layout's inputs are register, lane, warp, block";
  for (auto [d, out] : llvm::enumerate(bases.outs()))
    if (out.dim != Dim::axis(d))
      return "a linear layout's outputs are dim0, dim1, ...";
  for (const DimBits &in : bases.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if (llvm::count_if(bases.basis(in.dim, bit), [](int64_t c) { return c != 0; }) > 1)
        return llvm::formatv("basis {0} of {1} moves along more than one dimension", bit,
                             in.dim.name())
            .str();
  if (!bases.isSurjective())
    return "the bases do not reach every element";
  return std::nullopt;
}
