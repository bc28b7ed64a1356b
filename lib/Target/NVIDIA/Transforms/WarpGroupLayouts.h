//===- WarpGroupLayouts.h - where wgmma finds rows and leaves sums --------===//
// The layouts of a product's result, and of the operand that gives the instruction its rows
// where registers hold it. A result that is swapped, permuted or a batch has a linear
// encoding; others have nvidia_mma.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/Target/NVIDIA/Wgmma.h"

namespace tessera::nvidia {

/// How the operand of the instruction's rows reaches the unit.
enum class RowSource {
  Buffer,   // from shared memory
  Computed, // from registers that the dot's iteration computes
  Loaded,   // from shared memory through registers: it is not contiguous along K there
};

/// A product as the instruction sees it; of a swapped dot, M and N have changed places.
struct WarpGroupProduct {
  std::optional<int64_t> batch;
  int64_t rows, columns, inner;
  RowSource source = RowSource::Buffer;
  bool isSwapped = false;
};

/// How warps share out a product.
struct WarpGroupTiling {
  unsigned batchGroups = 1;
  /// Warps along the instruction's rows and columns.
  llvm::SmallVector<unsigned, 2> warps;
  unsigned instrColumns = 0;
};

/// Groups of four warps share out batches, then rows while each has enough of them, then
/// columns. Returns nothing if a group has too few columns, or rows.
std::optional<WarpGroupTiling> tileWarpGroups(const WarpGroupProduct &product,
                                              const WgmmaTypes &types, unsigned numWarps,
                                              unsigned maxColumns);

/// The encoding of the dot's result.
mlir::Attribute resultEncoding(mlir::MLIRContext *context, const WarpGroupProduct &product,
                               const WarpGroupTiling &tiling, const WgmmaTypes &types,
                               ttg::CGALayoutAttr cga);

/// The encoding of the operand of the rows in registers. Requires: product.source is not Buffer,
/// and there is no batch.
mlir::Attribute rowEncoding(mlir::MLIRContext *context, const WarpGroupProduct &product,
                            const WarpGroupTiling &tiling, const WgmmaTypes &types,
                            ttg::CGALayoutAttr cga);

} // namespace tessera::nvidia
