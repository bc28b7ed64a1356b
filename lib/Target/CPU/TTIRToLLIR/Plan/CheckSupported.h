//===- CheckSupported.h - what the CPU target can lower -------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

namespace tessera::cpu {

/// Reports every op of the function that cannot be lowered, so that the lowering itself cannot fail
/// half-way.
mlir::LogicalResult checkSupported(tt::FuncOp function);

} // namespace tessera::cpu
