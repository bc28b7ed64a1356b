//===- Registration.h - what tessera-opt knows ----------------------------===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tessera {

/// Our dialects and those of MLIR that appear between Python and LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Every pass and pipeline that `tessera-opt --help` lists; adds the dialects of targets.
void registerPasses(mlir::DialectRegistry &registry);

} // namespace tessera
