//===- ReadOnlyArguments.h - pointers that a kernel only reads through ----===//
// For the `const` of a C header and for callers that share arrays. A pointer
// counts as read-only when everything made from it ends in loads; whatever is
// not understood makes it a written one.
//
// Requires: TTIR. Cost: linear in the uses of the pointers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::cpu {

/// One entry per argument; false for scalars.
llvm::SmallVector<bool> findReadOnlyArguments(tt::FuncOp kernel);

} // namespace tessera::cpu
