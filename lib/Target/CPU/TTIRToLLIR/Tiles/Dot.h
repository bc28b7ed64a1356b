//===- Dot.h - matrix products -------------------------------------------===//
// tt.dot, and the code that it shares with tt.dot_scaled. The entry points for the ops are emitDot
// and emitDotScaled in TileOps.h.
//===----------------------------------------------------------------------===//
#pragma once

#include "DotPrefetch.h"
#include "TileOps.h"

namespace tessera::cpu {

/// Computes result = accumulator + a * b, for tiles of rank 2, or of rank 3 for a batch of
/// products. `accumulator` may be `result`; if it is empty it counts as zero.
///
/// Floats of at most 32 bits are summed in f32, f64 in f64, and the sum is rounded once to the
/// result's type; integers wrap around. Multiplication and addition are fused if the processor can,
/// whatever the options say.
///
/// The tiles in `next` are prefetched meanwhile.
void emitProduct(KernelContext &context, mlir::Location loc, const Tile &a, const Tile &b,
                 const std::optional<Tile> &accumulator, const Tile &result,
                 llvm::ArrayRef<NextTile> next = {});

} // namespace tessera::cpu
