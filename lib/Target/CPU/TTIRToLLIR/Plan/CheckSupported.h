//===- CheckSupported.h - what the CPU target can lower -------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

namespace tessera::cpu {

/// Reports every op of the function that cannot be lowered, so that lowering
/// itself need not fail half-way.
mlir::LogicalResult checkSupported(tt::FuncOp function);

} // namespace tessera::cpu
