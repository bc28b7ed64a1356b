//===- Passes.h - passes over programs of tiles ---------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTDialect.h"
#include "mlir/Pass/Pass.h"

namespace tessera {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/TTIR/Transforms/Passes.h.inc"

} // namespace tessera
