//===- Pipeline.cpp - make_ttir -------------------------------------------===//
// What every target does to a kernel before anything is decided about threads.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tessera;

void tessera::buildTTIRPipeline(OpPassManager &pm, const TTIRPipelineOptions &options) {
  // Casts that carry hints would hide the op behind them.
  if (!options.readsHints)
    pm.addPass(createTTDropHints());
  // Device functions disappear into the kernel. They are not simplified first: the kernel
  // is, and each of them ends up in it.
  pm.addPass(createTTInliner({.everything = options.inlineEverything}));
  // A block pointer becomes its base and offsets, so that all accesses are alike.
  // After inlining there are few calls left to carry its parts through.
  pm.addPass(createTTRewriteTensorPointer());
  if (!options.keepDescriptors)
    pm.addPass(createTTRewriteTensorDescriptorToPointer(
        {.hasFloatExtrema = options.hasFloatExtrema, .hints = options.readsHints}));
  // Folds constants, masks that are always true, +0 on pointers; the passes that follow see
  // one form of each.
  pm.addPass(createTTCanonicalizer());
  // Pairs of ops that one op does better: sums into dots, selects into loads.
  pm.addPass(createTTCombine());
  // Index arithmetic happens once for each row or column, not for each element.
  pm.addPass(createTTReorderBroadcast());
  // The same index arithmetic is often written several times.
  pm.addPass(createCSEPass());
  // Functions that were inlined have no callers left.
  pm.addPass(createTTSymbolDCE());
  // Last: what is copied has been simplified.
  pm.addPass(createTTLoopUnroll());
}

namespace {
struct MakeTTIROptions : PassPipelineOptions<MakeTTIROptions> {
  Option<bool> keepDescriptors{*this, "keep-descriptors",
                               llvm::cl::desc("the target has tensor descriptors (TMA)")};
};
} // namespace

void tessera::registerTTIRPipelines() {
  PassPipelineRegistration<MakeTTIROptions>(
      "make-ttir", "what every target does to TTIR first",
      [](OpPassManager &pm, const MakeTTIROptions &options) {
        buildTTIRPipeline(pm, {.keepDescriptors = options.keepDescriptors, .readsHints = true});
      });
}
