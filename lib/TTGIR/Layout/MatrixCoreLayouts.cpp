//===- MatrixCoreLayouts.cpp - layouts of MFMA and WMMA fragments ---------===//
// Each function builds the tile of one instruction from AMD's register maps (the tables of
// amd_matrix_instruction_calculator), and repeats it over registers and warps.
//
//   MFMA 32x32   lane 0..31 is the column of D; a lane has 4 neighbouring rows, the upper 32 lanes
//                the 4 rows below, and further registers every eighth row
//   MFMA f64     a lane has every fourth row instead
//   WMMA         lane 0..15 is the column of D; the upper 16 lanes have the odd rows (version 1),
//   or
//                the lower eight rows (versions 2 and 3)
//   operands     lanes are rows of A (columns of B); a lane has kWidth neighbours along K, and the
//                lanes that are left over continue along K, or repeat (WMMA version 1)
//
// A transposed result exchanges rows and columns: the instruction gets B^T and A^T.
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

static LinearLayout identity(uint64_t size, Dim in, Dim out) {
  return LinearLayout::identity(size, in, out);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Repeats `tile`, of `instrRows` x `instrColumns`, over a warp's tiles and the warps. A warp's
/// tiles in a row come before the next row of tiles, over the whole width of the tensor.
static LinearLayout spreadResult(LinearLayout tile, ArrayRef<int64_t> shape,
                                 ArrayRef<unsigned> tilesPerWarp, ArrayRef<unsigned> warpsPerCTA,
                                 const CgaBases &cga) {
  unsigned rank = shape.size();
  Dim row = Dim::axis(rank - 2), column = Dim::axis(rank - 1);
  tile *= identity(tilesPerWarp[rank - 1], reg, column);
  tile *= identity(warpsPerCTA[rank - 1], warp, column);
  uint64_t width = shape[rank - 1];
  if (tile.outSize(column) < width)
    tile *= identity(width / tile.outSize(column), reg, column);
  tile *= identity(tilesPerWarp[rank - 2], reg, row);
  tile *= identity(warpsPerCTA[rank - 2], warp, row);
  for (unsigned batch = 0; batch + 2 < rank; ++batch) {
    tile *= identity(tilesPerWarp[batch], reg, Dim::axis(batch));
    tile *= identity(warpsPerCTA[batch], warp, Dim::axis(batch));
  }
  return fitToShape(tile, shape, cga, minorLast(rank), reg);
}

LinearLayout tessera::amdMfmaLayout(ArrayRef<int64_t> shape, const AmdMfmaParams &params) {
  unsigned rank = shape.size();
  constexpr unsigned lanes = 64;
  Dim down = Dim::axis(rank - 2), across = Dim::axis(rank - 1);
  unsigned rows = params.instrShape[0], columns = params.instrShape[1];
  if (params.isTransposed) {
    std::swap(down, across);
    std::swap(rows, columns);
  }
  unsigned neighbours = params.elementBitWidth == 64 ? 1 : 4;
  LinearLayout tile = unitTile({reg, lane, warp}, rank);
  tile *= identity(neighbours, reg, down);
  tile *= identity(columns, lane, across);
  tile *= identity(lanes / columns, lane, down);
  if (rows > tile.outSize(down))
    tile *= identity(rows / tile.outSize(down), reg, down);
  return spreadResult(tile, shape, params.tilesPerWarp, params.warpsPerCTA, params.cga);
}

LinearLayout tessera::amdWmmaLayout(ArrayRef<int64_t> shape, const AmdWmmaParams &params) {
  unsigned rank = shape.size();
  Dim down = Dim::axis(rank - 2), across = Dim::axis(rank - 1);
  if (params.isTransposed)
    std::swap(down, across);
  LinearLayout tile = unitTile({reg, lane, warp}, rank);
  bool isInterleaved = params.version == 1;
  if (!isInterleaved)
    tile *= identity(8, reg, down);
  tile *= identity(16, lane, across);
  tile *= identity(2, lane, down);
  if (isInterleaved)
    tile *= identity(8, reg, down);
  return spreadResult(tile, shape, params.tilesPerWarp, params.warpsPerCTA, params.cga);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// One operand's fragment: `outer` rows of A (columns of B) times `innerLanes` lanes, each with
/// kWidth elements along K.
struct OperandTile {
  unsigned outer, kWidth, innerLanes;
  /// All lanes along K hold the elements of the first.
  bool repeatsLanes = false;
  /// A fragment has at least this many elements along K, even if the tensor has fewer.
  unsigned inner;
};
} // namespace

static LinearLayout spreadOperand(const OperandTile &operand, ArrayRef<int64_t> shape,
                                  unsigned opIdx, ArrayRef<unsigned> tilesPerWarp,
                                  ArrayRef<unsigned> warpsPerCTA, CgaBases cga) {
  unsigned rank = shape.size();
  unsigned k = opIdx == 0 ? rank - 1 : rank - 2, outer = opIdx == 0 ? rank - 2 : rank - 1;
  for (BasisVector &basis : cga) // every CTA needs all of K
    basis[k] = 0;
  auto alongK = [&](unsigned size, Dim in, bool repeats) {
    return repeats ? LinearLayout::zeros(size, in, Dim::axis(k)) : identity(size, in, Dim::axis(k));
  };
  LinearLayout tile = unitTile({reg, lane, warp}, rank);
  tile *= identity(operand.kWidth, reg, Dim::axis(k));
  tile *= identity(operand.outer, lane, Dim::axis(outer));
  tile *= alongK(operand.innerLanes, lane, operand.repeatsLanes);
  // K comes before the next tile.
  uint64_t inner = std::max<uint64_t>(shape[k], operand.inner);
  uint64_t covered = operand.kWidth * operand.innerLanes;
  if (covered < inner)
    tile *= identity(inner / covered, reg, Dim::axis(k));
  tile *= identity(tilesPerWarp[outer], reg, Dim::axis(outer));
  for (unsigned d : minorLast(rank))
    tile *= d == k ? alongK(warpsPerCTA[d], warp, /*repeats=*/true)
                   : identity(warpsPerCTA[d], warp, Dim::axis(d));
  SmallVector<unsigned> repOrder = {k, outer};
  llvm::append_range(repOrder, minorLast(rank - 2)); // batches
  return fitToShape(tile, shape, cga, repOrder, reg);
}

LinearLayout tessera::dotOperandLayout(ArrayRef<int64_t> shape, unsigned opIdx, unsigned kWidth,
                                       const AmdMfmaParams &parent) {
  constexpr unsigned lanes = 64;
  // For 4x64 all lanes hold columns, and 16 groups of lanes broadcast their part of K in turn.
  unsigned outer = parent.instrShape[opIdx];
  unsigned narrow = std::min(parent.instrShape[0], parent.instrShape[1]);
  OperandTile tile{.outer = outer,
                   .kWidth = kWidth,
                   .innerLanes = lanes / outer,
                   .inner = kWidth * (lanes / narrow)};
  return spreadOperand(tile, shape, opIdx, parent.tilesPerWarp, parent.warpsPerCTA, parent.cga);
}

LinearLayout tessera::dotOperandLayout(ArrayRef<int64_t> shape, unsigned opIdx, unsigned kWidth,
                                       const AmdWmmaParams &parent) {
  OperandTile tile{.outer = 16,
                   .kWidth = kWidth,
                   .innerLanes = 2,
                   .repeatsLanes = parent.version == 1,
                   .inner = parent.instrShape[2]};
  return spreadOperand(tile, shape, opIdx, parent.tilesPerWarp, parent.warpsPerCTA, parent.cga);
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

/// The rules that both kinds share: powers of two, one per dimension, and CTAs that fit.
static std::optional<std::string> whyInvalidTiling(ArrayRef<unsigned> warpsPerCTA,
                                                   ArrayRef<unsigned> tilesPerWarp,
                                                   const CgaBases &cga) {
  unsigned rank = warpsPerCTA.size();
  if (rank != 2 && rank != 3)
    return llvm::formatv("a matrix unit's layout has rank 2 or 3, not {0}", rank).str();
  if (tilesPerWarp.size() != rank || !llvm::all_of(tilesPerWarp, isPowerOfTwo))
    return llvm::formatv("tilesPerWarp [{0:$[, ]}] is not {1} powers of two",
                         llvm::make_range(tilesPerWarp.begin(), tilesPerWarp.end()), rank)
        .str();
  SmallVector<unsigned> ones(rank, 1), order = llvm::to_vector(llvm::seq(0u, rank));
  return whyInvalid(BlockedParams{.sizePerThread = SmallVector<unsigned>(tilesPerWarp),
                                  .threadsPerWarp = ones,
                                  .warpsPerCTA = SmallVector<unsigned>(warpsPerCTA),
                                  .order = order,
                                  .cga = cga});
}

static std::string list(ArrayRef<unsigned> values) {
  return llvm::formatv("[{0:$[, ]}]", llvm::make_range(values.begin(), values.end())).str();
}

std::optional<std::string> tessera::whyInvalid(const AmdMfmaParams &params) {
  if (params.version > 4)
    return llvm::formatv("MFMA version {0} is not in [0, 4]", params.version).str();
  static constexpr std::pair<unsigned, unsigned> tiles[] = {{32, 32}, {16, 16}, {64, 4}, {4, 64}};
  ArrayRef<unsigned> shape = params.instrShape;
  if (shape.size() != 3 || !llvm::is_contained(tiles, std::pair(shape[0], shape[1])) ||
      !isPowerOfTwo(shape[2]))
    return "instrShape " + list(shape) +
           " is not [M, N, K] with M x N among 32x32, 16x16, 64x4 and 4x64";
  if (params.elementBitWidth != 32 && params.elementBitWidth != 64)
    return llvm::formatv("elementBitWidth {0} is neither 32 nor 64", params.elementBitWidth).str();
  return whyInvalidTiling(params.warpsPerCTA, params.tilesPerWarp, params.cga);
}

std::optional<std::string> tessera::whyInvalid(const AmdMfmaParams &params,
                                               ArrayRef<int64_t> shape) {
  if (auto why = whyInvalid(params))
    return why;
  return whyInvalidShape(shape, params.warpsPerCTA.size());
}

std::optional<std::string> tessera::whyInvalid(const AmdWmmaParams &params) {
  if (params.version < 1 || params.version > 3)
    return llvm::formatv("WMMA version {0} is not in [1, 3]", params.version).str();
  ArrayRef<unsigned> shape = params.instrShape;
  bool isSquare = shape.size() == 3 && shape[0] == 16 && shape[1] == 16 && isPowerOfTwo(shape[2]);
  if (!isSquare || (params.version == 1 && shape[2] != 16))
    return llvm::formatv("instrShape {0} is not one of WMMA version {1}", list(shape),
                         params.version)
        .str();
  return whyInvalidTiling(params.warpsPerCTA, params.tilesPerWarp, params.cga);
}

std::optional<std::string> tessera::whyInvalid(const AmdWmmaParams &params,
                                               ArrayRef<int64_t> shape) {
  if (auto why = whyInvalid(params))
    return why;
  return whyInvalidShape(shape, params.warpsPerCTA.size());
}

static std::optional<std::string> whyInvalidIndex(unsigned opIdx) {
  if (opIdx > 1)
    return llvm::formatv("opIdx {0} is neither 0 nor 1", opIdx).str();
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidDotOperand(unsigned opIdx, unsigned kWidth,
                                                         const AmdMfmaParams &parent) {
  if (auto why = whyInvalid(parent))
    return why;
  if (auto why = whyInvalidIndex(opIdx))
    return why;
  if (!isPowerOfTwo(kWidth) || kWidth > 64)
    return llvm::formatv("kWidth {0} is not a power of two from 1 to 64", kWidth).str();
  return std::nullopt;
}

std::optional<std::string> tessera::whyInvalidDotOperand(unsigned opIdx, unsigned kWidth,
                                                         const AmdWmmaParams &parent) {
  if (auto why = whyInvalid(parent))
    return why;
  if (auto why = whyInvalidIndex(opIdx))
    return why;
  static constexpr unsigned widthsOf[][3] = {{8, 16, 16}, {4, 8, 16}, {2, 8, 16}};
  ArrayRef<unsigned> widths = widthsOf[parent.version - 1];
  if (!llvm::is_contained(widths, kWidth))
    return llvm::formatv("kWidth {0} with WMMA version {1} is not one of {2:$[, ]}", kWidth,
                         parent.version, llvm::make_range(widths.begin(), widths.end()))
        .str();
  return std::nullopt;
}
