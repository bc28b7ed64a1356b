//===- Pipeline.h - make_ttir, the stage that every target starts with ----===//
#pragma once

#include "mlir/Pass/PassManager.h"

namespace tessera {

/// The properties of a target that make_ttir depends on.
struct TTIRPipelineOptions {
  /// The target supports tensor descriptors (TMA); for others they become pointers.
  bool keepDescriptors = false;
  /// The target has atomic maxima and minima of floats.
  bool hasFloatExtrema = false;
  /// The target reads hints (tl.multiple_of).
  bool readsHints = false;
  /// The target has no calls: functions with `noinline` are inlined too.
  bool inlineEverything = false;
};

/// Builds the pipeline from the frontend's TTIR to the TTIR that a target reads: one kernel without
/// block pointers, redundant work or dead code, and without calls except of `noinline` functions on
/// targets that have calls.
void buildTTIRPipeline(mlir::OpPassManager &pm, const TTIRPipelineOptions &options = {});

/// Registers `tessera-opt --make-ttir` and `--make-ttir=keep-descriptors`.
void registerTTIRPipelines();

} // namespace tessera
