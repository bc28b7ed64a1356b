//===- Dialects.h - what may stand in IR text that is read ----------------===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tessera {

/// All dialects of .ttir and .ttgir files, the reference's included.
mlir::DialectRegistry readableDialects();

} // namespace tessera
