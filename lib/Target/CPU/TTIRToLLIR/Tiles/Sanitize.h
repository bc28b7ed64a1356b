//===- Sanitize.h - calls of the sanitizer --------------------------------===//
// The ops of the ttc dialect (docs/sanitizer.md) become calls of the functions that
// Support/AccessSite.h describes. The compile-time facts of a call are in a record among the
// object's constants.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"

namespace tessera::cpu {

/// Pointers and mask are both tiles, or both scalars; `safe` is the tile of the result if that is a
/// tensor.
void emitCheckAccess(KernelContext &context, ttc::CheckAccessOp op, const TileOrScalar &pointer,
                     const TileOrScalar &mask, const std::optional<Tile> &safe);

void emitExplainWrap(KernelContext &context, ttc::ExplainWrapOp op);

} // namespace tessera::cpu
