//===- Pipeline.cpp - make_ttir -------------------------------------------===//
// The passes that every target runs on a kernel's TTIR, before tensors have layouts. Three phases:
//
//   input       tt, arith, math, scf, cf: device functions and calls, block pointers, descriptors,
//               hints as casts; index arithmetic as the programmer wrote it
//   1 inline    one kernel; calls only of `noinline` functions, on targets that have calls
//   2 pointers  loads and stores take pointers and masks; descriptors only for targets with TMA
//   3 simplify  no redundant or dead ops; the rest of the compiler matches canonical forms
//
// tt-verify-phase checks each phase's postcondition.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tessera;

/// Phase 1. Afterwards each kernel is one function without calls, except of `noinline` functions.
static void addInlining(OpPassManager &pm, const TTIRPipelineOptions &options) {
  // Casts that carry hints hide the op that defines a value from all later passes, so they are
  // removed first if the target does not read hints.
  if (!options.readsHints)
    pm.addPass(createTTDropHints());
  // Functions are inlined before they are simplified, because the kernel is simplified anyway and
  // contains each of them.
  pm.addPass(createTTInliner({.everything = options.inlineEverything}));
}

/// Phase 2. Afterwards all accesses of memory take pointers and a mask, or a descriptor if the
/// target has TMA. This runs after inlining, when few calls are left through which the parts of a
/// block pointer must be passed, and before simplification, which cleans up the index arithmetic.
static void addPointerRewrites(OpPassManager &pm, const TTIRPipelineOptions &options) {
  pm.addPass(createTTRewriteTensorPointer());
  if (!options.keepDescriptors)
    pm.addPass(createTTRewriteTensorDescriptorToPointer(
        {.hasFloatExtrema = options.hasFloatExtrema, .hints = options.readsHints}));
  TTVerifyPhaseOptions done;
  done.phase = "pointers";
  done.forbiddenOps = {"tt.make_tensor_ptr", "tt.advance"};
  done.forbiddenTypes = {"block-pointer"};
  if (!options.keepDescriptors) {
    done.forbiddenOps.push_back("tt.make_tensor_descriptor");
    done.forbiddenTypes.push_back("descriptor");
  }
  pm.addPass(createTTVerifyPhase(done));
}

/// Phase 3. Afterwards there is one form of each computation, and each is done once.
static void addSimplification(OpPassManager &pm) {
  // Folds constants, masks that are always true and +0 on pointers, so that the following patterns
  // have to match one form only.
  pm.addPass(createTTCanonicalizer());
  // Lets code on both sides of a small branch be scheduled together. Runs after canonicalization,
  // which removes branches on constants.
  pm.addPass(createTTFlattenBranches());
  // Replaces pairs of ops by one: sums by a dot's accumulator, selects by a load's `other`.
  pm.addPass(createTTCombine());
  // Computes index arithmetic once per row or column, not once per element. Runs after tt-combine,
  // which matches broadcasts as the programmer wrote them.
  pm.addPass(createTTReorderBroadcast());
  // Programs often repeat index arithmetic; after the passes above, equal computations look equal.
  pm.addPass(createCSEPass());
  // Inlined functions have no callers left.
  pm.addPass(createTTSymbolDCE());
  // Unrolling comes last, because it copies the simplified body.
  pm.addPass(createTTLoopUnroll());
}

void tessera::buildTTIRPipeline(OpPassManager &pm, const TTIRPipelineOptions &options) {
  addInlining(pm, options);
  addPointerRewrites(pm, options);
  addSimplification(pm);
}

namespace {
struct MakeTTIROptions : PassPipelineOptions<MakeTTIROptions> {
  Option<bool> keepDescriptors{*this, "keep-descriptors",
                               llvm::cl::desc("the target has tensor descriptors (TMA)")};
};
} // namespace

void tessera::registerTTIRPipelines() {
  PassPipelineRegistration<MakeTTIROptions>(
      "make-ttir", "the passes that every target runs on TTIR first",
      [](OpPassManager &pm, const MakeTTIROptions &options) {
        buildTTIRPipeline(pm, {.keepDescriptors = options.keepDescriptors, .readsHints = true});
      });
}
