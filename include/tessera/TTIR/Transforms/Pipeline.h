//===- Pipeline.h - make_ttir, the stage that every target starts with ----===//
#pragma once

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tessera {

/// TTIR as the frontend (or a file) left it becomes TTIR that a target reads:
/// one kernel without calls, repeated work or dead code.
inline void buildTTIRPipeline(mlir::OpPassManager &pm) {
  // Device functions disappear into the kernel; a target sees no calls.
  pm.addPass(mlir::createInlinerPass());
  // Folds constants, masks that are always true, +0 on pointers.
  pm.addPass(mlir::createCanonicalizerPass());
  // The same index arithmetic is often written several times.
  pm.addPass(mlir::createCSEPass());
  // The functions that were inlined have no callers left.
  pm.addPass(mlir::createSymbolDCEPass());
}

} // namespace tessera
