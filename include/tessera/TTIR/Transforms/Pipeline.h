//===- Pipeline.h - make_ttir, the stage that every target starts with ----===//
#pragma once

#include "mlir/Pass/PassManager.h"

namespace tessera {

/// What make_ttir must know of a target.
struct TTIRPipelineOptions {
  /// The target reads and writes through tensor descriptors by itself (TMA); for
  /// others they become pointers.
  bool keepDescriptors = false;
  /// The target has atomic maxima and minima of floats.
  bool hasFloatExtrema = false;
  /// The target asks what programs promise of values (tl.multiple_of).
  bool readsHints = false;
  /// The target has no calls: functions that say `noinline` are inlined, too.
  bool inlineEverything = false;
};

/// TTIR as the frontend (or a file) left it becomes TTIR that a target reads:
/// one kernel without block pointers, repeated work or dead code, and without calls
/// but those of functions that say `noinline` on targets that have calls.
void buildTTIRPipeline(mlir::OpPassManager &pm, const TTIRPipelineOptions &options = {});

/// `tessera-opt --make-ttir` and `--make-ttir=keep-descriptors`.
void registerTTIRPipelines();

} // namespace tessera
