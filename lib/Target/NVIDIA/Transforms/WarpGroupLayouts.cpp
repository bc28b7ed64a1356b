//===- WarpGroupLayouts.cpp - where wgmma finds rows and leaves sums ------===//
// An operand that is contiguous along the instruction's rows in shared memory (f32 and
// 8-bit operands, which the unit cannot transpose) goes through registers. The rows that one
// thread has of it are made neighbours, so that it reads them with one wide load:
//
//   a thread's rows   in the figures of the PTX ISA:  r, r + 8, r + 64, r + 72
//                     here:                           4r, 4r + 1, 4r + 2, 4r + 3
//
// Rows of the result are permuted alike, and its linear encoding says so.
//===----------------------------------------------------------------------===//
#include "WarpGroupLayouts.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

std::optional<WarpGroupTiling> nvidia::tileWarpGroups(const WarpGroupProduct &product,
                                                      const WgmmaTypes &types, unsigned numWarps,
                                                      unsigned maxColumns) {
  // Bytes are transposed four by four, so a thread needs four rows of them.
  int64_t rowsOfGroup =
      product.source == RowSource::Loaded && types.bits == 8 ? 2 * kWgmmaRows : kWgmmaRows;
  WarpGroupTiling tiling;
  tiling.warps = {kWarpGroupWarps, 1};
  unsigned groups = numWarps / kWarpGroupWarps;
  tiling.batchGroups = std::min<int64_t>(groups, product.batch.value_or(1));
  for (groups /= tiling.batchGroups; groups > 1; groups /= 2) {
    bool splitsRows = product.rows >= 2 * rowsOfGroup * tiling.warps[0] / kWarpGroupWarps;
    tiling.warps[splitsRows ? 0 : 1] *= 2;
  }
  int64_t columns = product.columns / tiling.warps[1];
  tiling.instrColumns = std::min<int64_t>(maxColumns, columns);
  if (product.rows < rowsOfGroup || tiling.instrColumns < 8)
    return std::nullopt;
  return tiling;
}

static NvidiaMmaParams mmaParams(const WarpGroupTiling &tiling, const WgmmaTypes &types) {
  NvidiaMmaParams params;
  params.versionMajor = 3;
  params.warpsPerCTA.assign(tiling.warps.begin(), tiling.warps.end());
  params.instrShape = {16, tiling.instrColumns, types.inner()};
  return params;
}

//===----------------------------------------------------------------------===//
// Rows of one thread side by side
//===----------------------------------------------------------------------===//

/// B of a swapped dot is most often contiguous along N, also where it is computed.
static bool isPermuted(const WarpGroupProduct &product) {
  return product.source == RowSource::Loaded ||
         (product.source == RowSource::Computed && product.isSwapped);
}

/// The rows that registers of the result step over, smallest registers first.
static SmallVector<uint64_t> rowsOfRegisters(const LinearLayout &result) {
  SmallVector<uint64_t> rows;
  for (unsigned bit = 0; bit < result.inBits(Dim::reg()); ++bit)
    if (uint64_t row = result.basis(Dim::reg(), bit, Dim::axis(0)))
      rows.push_back(row);
  return rows;
}

/// Renumbers rows such that up to 16 bytes of a thread's own come first.
static LinearLayout permuteRows(const LinearLayout &layout, const LinearLayout &result,
                                const WgmmaTypes &types) {
  SmallVector<uint64_t> first = rowsOfRegisters(result);
  first.truncate(std::min<size_t>(first.size(), llvm::Log2_32(16 / types.bytes())));
  // Bit i of the old number becomes bit place[i].
  DimBases rows{Dim::axis(0), {}}, columns{Dim::axis(1), {}};
  unsigned next = first.size();
  for (unsigned bit = 0; bit < layout.outBits(Dim::axis(0)); ++bit) {
    const auto *own = llvm::find(first, uint64_t(1) << bit);
    unsigned place = own != first.end() ? own - first.begin() : next++;
    rows.bases.push_back({int64_t(1) << place, 0});
  }
  for (unsigned bit = 0; bit < layout.outBits(Dim::axis(1)); ++bit)
    columns.bases.push_back({0, int64_t(1) << bit});
  std::optional<LinearLayout> permutation =
      LinearLayout::fromBases({rows, columns}, {Dim::axis(0), Dim::axis(1)});
  return permutation ? layout.compose(*permutation) : layout;
}

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

/// The result as the instruction sees it, rows in the order of the PTX ISA.
static LinearLayout plainResult(const WarpGroupProduct &product, const WarpGroupTiling &tiling,
                                const WgmmaTypes &types) {
  int64_t shape[] = {product.rows, product.columns};
  return nvidiaMmaLayout(shape, mmaParams(tiling, types));
}

/// Batches go to warp groups first, then to registers.
static LinearLayout addBatch(const LinearLayout &matrix, int64_t batch, unsigned groups) {
  LinearLayout layout = *matrix.renameOuts({Dim::axis(1), Dim::axis(2)});
  layout *= LinearLayout::identity(groups, Dim::warp(), Dim::axis(0));
  layout *= LinearLayout::identity(batch / groups, Dim::reg(), Dim::axis(0));
  return *layout.transposeOuts({Dim::axis(0), Dim::axis(1), Dim::axis(2)});
}

static ttg::NvidiaMmaEncodingAttr mmaEncoding(MLIRContext *context, const WarpGroupTiling &tiling,
                                              const WgmmaTypes &types, ttg::CGALayoutAttr cga) {
  return ttg::NvidiaMmaEncodingAttr::get(context, /*versionMajor=*/3, /*versionMinor=*/0,
                                         tiling.warps, cga,
                                         {16, tiling.instrColumns, types.inner()});
}

Attribute nvidia::resultEncoding(MLIRContext *context, const WarpGroupProduct &product,
                                 const WarpGroupTiling &tiling, const WgmmaTypes &types,
                                 ttg::CGALayoutAttr cga) {
  if (!product.batch && !product.isSwapped && !isPermuted(product))
    return mmaEncoding(context, tiling, types, cga);
  LinearLayout layout = plainResult(product, tiling, types);
  if (isPermuted(product))
    layout = permuteRows(layout, layout, types);
  if (product.batch)
    layout = addBatch(layout, *product.batch, tiling.batchGroups);
  if (product.isSwapped)
    layout = transposeMatrix(layout);
  return ttg::toLinearEncoding(context, layout);
}

Attribute nvidia::rowEncoding(MLIRContext *context, const WarpGroupProduct &product,
                              const WarpGroupTiling &tiling, const WgmmaTypes &types,
                              ttg::CGALayoutAttr cga) {
  unsigned kWidth = 32 / types.bits;
  if (!product.isSwapped && product.source == RowSource::Computed)
    return ttg::DotOperandEncodingAttr::get(context, 0, mmaEncoding(context, tiling, types, cga),
                                            kWidth);
  int64_t shape[] = {product.rows, product.inner};
  LinearLayout layout = dotOperandLayout(shape, 0, kWidth, mmaParams(tiling, types));
  if (isPermuted(product))
    layout = permuteRows(layout, plainResult(product, tiling, types), types);
  if (product.isSwapped)
    layout = transposeMatrix(layout);
  return ttg::toLinearEncoding(context, layout);
}
