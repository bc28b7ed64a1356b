//===- DotPrefetch.h - prefetch the next tiles during a product ----------===//
// A loop over K loads two tiles and multiplies them. Loading waits for memory and multiplying does
// not, so the product prefetches the cache lines of the tiles that the next iteration will load, a
// few per block of C.
//
//   for k:  a = load ..., b = load ...        c += a * b, prefetching a', b'
//
// The addresses are extrapolated: the next tile is assumed to be as far from the current one as
// that is from the last one. A wrong guess costs time, but does not change the result.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "../Kernel/KernelContext.h"

namespace tessera::cpu {

/// Rows of cache lines that will be read.
struct NextTile {
  mlir::Value base;     // the address of the first row
  mlir::Value rowBytes; // i64: the stride between rows
  int64_t rows, lines;  // `lines` are cache lines per row; both are powers of two

  int64_t count() const { return rows * lines; }
};

/// Returns the tiles that the next iteration will load for the operands of `op`, if both are loaded
/// in the loop from addresses that can be computed here. If only one is (attention), there is
/// enough computation for the hardware to keep up.
llvm::SmallVector<NextTile, 2> findNextTiles(KernelContext &context, tt::DotOp op);

/// Prefetches the share of the tile's lines that belongs to block number `block` (i64) of `blocks`.
void emitPrefetch(LaneBuilder &b, const NextTile &tile, mlir::Value block, int64_t blocks);

} // namespace tessera::cpu
