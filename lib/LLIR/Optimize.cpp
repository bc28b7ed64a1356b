//===- Optimize.cpp - the chosen LLVM passes ------------------------------===//
// The incoming code resembles hand-written scalar code: it has no memory temporaries (tensors
// became SSA values), few branches (masks are predicates of accesses), and loops that the
// programmer shaped. What remains to be optimised is arithmetic that repeats between the elements
// of a tile, and arithmetic that constants make trivial.
//
// Loop vectorisers, the inliner's heuristics and interprocedural passes find nothing here, and take
// most of O3's time.
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
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;
using namespace tessera;

/// ScalarEvolution discards its results whenever a loop changes, at a cost that grows with the
/// number of loops: nine seconds for a thousand loops. Kernels usually have a few.
constexpr unsigned kManyLoops = 64;

/// The passes for functions with loops; their analyses take about half a millisecond.
static void addLoopPasses(FunctionPassManager &passes, unsigned numLoops,
                          const LLIRChoices &choices) {
  LoopPassManager loops;
  // Loop rotation tests at the end of the loop: one branch per iteration, and a preheader that is
  // reached only if the body runs, so that LICM may hoist.
  loops.addPass(LoopRotatePass());
  // Most index arithmetic of a tile is loop-invariant.
  LICMOptions hoisting;
  if (!choices.promoteMemory)
    hoisting.MssaNoAccForPromotionCap = 0;
  loops.addPass(LICMPass(hoisting));
  // Canonical induction variables show strides to the unroller and to addressing modes.
  if (numLoops < kManyLoops)
    loops.addPass(IndVarSimplifyPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  if (numLoops >= kManyLoops)
    return;
  // Loops with a small constant trip count are unrolled completely; others keep their shape. By
  // default the target would unroll every loop by a power of two, nests repeatedly. A GPU's
  // assembler unrolls loops itself to hide latency, and knows the register pressure.
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/false)
                                    .setPartial(false)
                                    .setRuntime(false)
                                    .setUpperBound(false)));
}

static unsigned countLoops(const Module &module) {
  // A branch counts as a back edge if its target precedes or equals its source in layout order; a
  // false positive costs only compile time.
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
                          const LLIRChoices &choices, LLVMRemarks remarks) {
  bool calls = any_of(module, [](const Function &f) {
    return !f.isDeclaration() && f.hasFnAttribute(Attribute::AlwaysInline);
  });
  bool library = any_of(
      module, [](const Function &f) { return !f.isDeclaration() && f.hasInternalLinkage(); });
  // A library may call a function to choose a variant. Folding these calls first makes the other
  // variants dead before any pass visits them. Without this pass they only cost time.
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
  // Loops carry 32-bit words instead of their 16-bit halves; InstCombine removes the unpacking.
  passes.addPass(PackCarriedValuesPass(remarks));
  // InstCombine turns multiplications by block sizes into shifts, and sums of disjoint bits into
  // ors, which addressing modes can split again. It runs once: after the loop passes it would undo
  // their work (3 % more instructions in a matmul), and takes a third of the time spent here.
  passes.addPass(InstCombinePass());
  // Removes empty blocks and constant branches from the lowering of `scf`.
  passes.addPass(SimplifyCFGPass());
  unsigned numLoops = countLoops(module);
  if (numLoops)
    addLoopPasses(passes, numLoops, choices);
  // Reassociation moves constants outwards: `x | (t | 128)` becomes `(x | t) | 128`, the elements
  // of a tile share `x | t`, and 128 becomes an address offset. This saves a fifth of a vector
  // add's instructions.
  passes.addPass(ReassociatePass());
  // Reassociation does not reach sums that LICM hoisted: `i + (t | 128)` with `t | 128` outside of
  // the loop.
  passes.addPass(ShareBasesPass(remarks));
  // Runs after LICM, which hoists divisors that are products.
  if (numLoops)
    passes.addPass(ReduceDivisionsPass(remarks));
  // Removes equal values, also across blocks if one dominates the other. GVN finds no more in such
  // code, and takes longer than all of the above except InstCombine.
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  // Runs after all passes that hoist loop-invariant code.
  if (numLoops)
    passes.addPass(ShareCarriedPointersPass(remarks));
  // Replaces 64-bit products, for which GPUs have no instruction, by sums, and by offsets in
  // addresses where strides are constants.
  passes.addPass(ShareAddressesPass(remarks));
  // Removes instructions that InstCombine and unrolling made dead.
  passes.addPass(ADCEPass());
  // Sums of matrix products are vectors already, whose elements are scaled by one number.
  if (choices.packArithmetic)
    passes.addPass(SLPVectorizerPass());
  // Runs last, because the other passes may move loads up again.
  if (choices.sinkSharedLoads)
    passes.addPass(SinkSharedLoadsPass(choices.sinkArithmetic, remarks));
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
}

Error tessera::optimizeLLVMIR(Module &module, TargetMachine &machine, const LLIRChoices &choices,
                              std::optional<mlir::Location> kernel,
                              const InstrumentLLVM &instrument) {
  return runPasses(
      module, machine,
      [&](ModulePassManager &pipeline, PassBuilder &builder) {
        buildPipeline(pipeline, builder, module, choices, LLVMRemarks(kernel));
      },
      instrument);
}
