//===- DotPrefetch.h - fetch the next tiles while multiplying these -------===//
// A loop over K loads two tiles, multiplies them, and goes on. Loading waits
// for memory and multiplying does not: so the multiplication asks for the
// lines of the tiles that the next iteration will load, a few per block of C.
//
//   for k:  a = load ..., b = load ...        c += a * b, prefetching a', b'
//
// Where they will be is a guess: as far from this iteration's as this is from
// the last one's. A wrong guess costs time, never a result.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "../Kernel/KernelContext.h"

namespace tessera::cpu {

/// Rows of cache lines that are about to be read.
struct NextTile {
  mlir::Value base;     // pointer to the first row
  mlir::Value rowBytes; // i64: from one row to the next
  int64_t rows, lines;  // lines of a row; both powers of two

  int64_t count() const { return rows * lines; }
};

/// The tiles that the next iteration will load for the operands of `op`, if both
/// are loaded in the loop, from addresses that can be computed here. Where only
/// one is (attention), there is enough to compute for the processor to keep up.
llvm::SmallVector<NextTile, 2> findNextTiles(KernelContext &context, tt::DotOp op);

/// Asks for the share of the tile's lines that falls to block number `block`
/// (i64) of `blocks`.
void emitPrefetch(LaneBuilder &b, const NextTile &tile, mlir::Value block, int64_t blocks);

} // namespace tessera::cpu
