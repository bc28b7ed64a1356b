//===- Passes.h - from tiles to tiles in layouts --------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include "mlir/Pass/Pass.h"

namespace tessera {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/TTIRToTTGIR/Passes.h.inc"

} // namespace tessera
