//===- Dot.h - products of matrices ---------------------------------------===//
// tt.dot, and what it shares with tt.dot_scaled. The entry points for ops are
// emitDot and emitDotScaled in TileOps.h.
//===----------------------------------------------------------------------===//
#pragma once

#include "DotPrefetch.h"
#include "TileOps.h"

namespace tessera::cpu {

/// result = accumulator + a * b, for tiles of rank 2, or of rank 3 with as many
/// products as the first dimension says. `accumulator` may be `result`, and is
/// zero when it is empty.
///
/// Floats of 32 bits and less are summed in f32, f64 in f64, and rounded once,
/// to the result's type; integers wrap. A product and its addition round once
/// where the processor can (fused multiply-add), whatever the options say.
///
/// The tiles in `next` are fetched meanwhile.
void emitProduct(KernelContext &context, mlir::Location loc, const Tile &a, const Tile &b,
                 const std::optional<Tile> &accumulator, const Tile &result,
                 llvm::ArrayRef<NextTile> next = {});

} // namespace tessera::cpu
