//===- Optimize.cpp - the chosen LLVM passes ------------------------------===//
// The code that arrives is what a careful writer of scalar code would write:
// no memory temporaries (tensors became values one by one), few branches
// (masks are predicates of the access), loops that the programmer shaped. What
// is left to find is arithmetic that repeats between the elements of a tile,
// and what the values of constants make trivial.
//
// Loop vectorisers, the inliner's heuristics and interprocedural passes have
// nothing to do here, and make up most of O3's time.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/Optimize.h"
#include "PackCarriedValues.h"
#include "ReduceDivisions.h"
#include "ShareAddresses.h"
#include "ShareBases.h"
#include "ShareCarriedPointers.h"
#include "SinkSharedLoads.h"
#include "tessera/LLIR/Backend.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace tessera;

/// What is known of a loop's counter is forgotten whenever a loop changes, at a cost that
/// grows with the number of loops: nine seconds for a thousand. Kernels have a few.
constexpr unsigned kManyLoops = 64;

/// For programs with loops only: about half a millisecond of analyses.
static void addLoopPasses(FunctionPassManager &passes, unsigned numLoops) {
  LoopPassManager loops;
  // Top-tested loops become bottom-tested: one branch per iteration, and a
  // preheader that is only reached when the body runs, so LICM may hoist.
  loops.addPass(LoopRotatePass());
  // Index arithmetic of a tile is the same in every iteration more often than not.
  loops.addPass(LICMPass(LICMOptions()));
  // Canonical counters let the unroller and the address modes see strides.
  if (numLoops < kManyLoops)
    loops.addPass(IndVarSimplifyPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  if (numLoops >= kManyLoops)
    return;
  // Loops of a constant few iterations disappear, others keep their shape: the target
  // would have every loop unrolled by a power of two, nests of them over and over.
  // A GPU's assembler unrolls where it sees latency to hide, and knows the registers.
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/false)
                                    .setPartial(false)
                                    .setRuntime(false)
                                    .setUpperBound(false)));
}

static unsigned countLoops(const Module &module) {
  // A back edge goes to a block that precedes or is its source in layout order;
  // a false positive costs only time.
  unsigned count = 0;
  for (const Function &function : module) {
    SmallPtrSet<const BasicBlock *, 8> seen;
    for (const BasicBlock &block : function) {
      seen.insert(&block);
      count += count_if(successors(&block),
                        [&](const BasicBlock *successor) { return seen.contains(successor); });
    }
  }
  return count;
}

static void buildPipeline(ModulePassManager &pipeline, PassBuilder &builder, const Module &module,
                          const LLIRChoices &choices) {
  bool calls = any_of(module, [](const Function &f) {
    return !f.isDeclaration() && f.hasFnAttribute(Attribute::AlwaysInline);
  });
  bool library = any_of(
      module, [](const Function &f) { return !f.isDeclaration() && f.hasInternalLinkage(); });
  // A library may ask which of its variants it should be: answered first, the others are dead
  // before they cost anything. Without the pass they cost time, and nothing else.
  if (library && choices.libraryPasses)
    if (Error error = builder.parsePassPipeline(pipeline, choices.libraryPasses))
      consumeError(std::move(error));
  if (calls || library) {
    pipeline.addPass(AlwaysInlinerPass());
    pipeline.addPass(GlobalDCEPass());
  }

  FunctionPassManager passes;
  // The elements of a tile share most of their arithmetic.
  passes.addPass(EarlyCSEPass());
  // Loops carry words, not the halves in them; InstCombine removes what that unpacks.
  passes.addPass(PackCarriedValuesPass());
  // Multiplications by block sizes become shifts, sums of disjoint bits become
  // ors that the address modes can take apart again. Once: after the loops it
  // undoes what they shaped (3 % more instructions in a matmul) for a third of
  // all the time that is spent here.
  passes.addPass(InstCombinePass());
  // Empty blocks and constant branches that `scf` left.
  passes.addPass(SimplifyCFGPass());
  unsigned numLoops = countLoops(module);
  if (numLoops)
    addLoopPasses(passes, numLoops);
  // Constants move to the outside of sums: `x | (t | 128)` becomes `(x | t) | 128`,
  // the elements of a tile share `x | t`, and 128 becomes an address offset. Worth
  // a fifth of a vector add's instructions.
  passes.addPass(ReassociatePass());
  // Not so what LICM moved out of loops: `i + (t | 128)` with the sum in brackets outside.
  passes.addPass(ShareBasesPass());
  // Needs divisors outside of loops, where LICM moved those that are products.
  if (numLoops)
    passes.addPass(ReduceDivisionsPass());
  // Equal values, also across blocks as far as one dominates the other. GVN finds
  // no more in such code, and takes longer than all of the above but InstCombine.
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  // After everything that moves what does not change out of loops.
  if (numLoops)
    passes.addPass(ShareCarriedPointersPass());
  // Products of 64 bits, for which GPUs have no instruction, become sums.
  passes.addPass(ShareAddressesPass());
  // What InstCombine and unrolling left without a user.
  passes.addPass(ADCEPass());
  // Last: everything before may move reads up again.
  if (choices.sinkSharedLoads)
    passes.addPass(SinkSharedLoadsPass());
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
}

Error tessera::optimizeLLVMIR(Module &module, TargetMachine &machine, const LLIRChoices &choices) {
  return runPasses(module, machine, [&](ModulePassManager &pipeline, PassBuilder &builder) {
    buildPipeline(pipeline, builder, module, choices);
  });
}
