//===- Binary.cpp - from LLVM IR to the processor's code ------------------===//
// See Binary.h. The IR that arrives has its vectors and its loops; no
// vectoriser, unroller or inliner could add to it, and they are most of O3.
//===----------------------------------------------------------------------===//
#include "Binary.h"
#include "tessera/LLIR/Backend.h"
#include "tessera/Target/CPU/CPUTarget.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

static FunctionPassManager buildPipeline() {
  FunctionPassManager passes;
  // Accumulators and other variables of the lowering are slots of memory until here.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  // Bounds and addresses of the accesses of a nest repeat each other.
  passes.addPass(EarlyCSEPass());
  // Guards and bounds with constant block sizes mostly fold away.
  passes.addPass(InstCombinePass());
  // Blocks that hold one nest's exit and the next one's entry.
  passes.addPass(SimplifyCFGPass());
  // What no program of the range changes leaves the program loop, and what no
  // chunk changes leaves the row.
  LoopPassManager loops;
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  return passes;
}

/// Variables that stay in memory come first in the function. The code generator splits
/// blocks at divisions, and what is then no longer in the first one would move the
/// stack pointer.
static void gatherVariables(Function &function) {
  if (function.isDeclaration())
    return;
  BasicBlock &entry = function.getEntryBlock();
  SmallVector<AllocaInst *> late;
  for (Instruction &instruction : make_range(entry.getFirstNonPHIOrDbgOrAlloca(), entry.end()))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction); variable && variable->isStaticAlloca())
      late.push_back(variable);
  for (AllocaInst *variable : late)
    variable->moveBefore(entry, entry.getFirstNonPHIOrDbgOrAlloca());
}

Error tessera::cpu::optimize(Module &module, TargetMachine &machine) {
  Error error = runPasses(module, machine, [](ModulePassManager &pipeline, PassBuilder &) {
    pipeline.addPass(createModuleToFunctionPassAdaptor(buildPipeline()));
  });
  for (Function &function : module)
    gatherVariables(function);
  return error;
}

/// Instructions from which on the code generator saves itself work.
static constexpr unsigned kLargeModule = 1500;

static Expected<std::string> emit(Module &module, const tessera::cpu::CPUSpec &spec,
                                  CodeGenFileType kind) {
  Expected<std::unique_ptr<TargetMachine>> machine = spec.createMachine();
  if (!machine)
    return machine.takeError();
  // A module that was read from a file may be for another machine.
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  // Loops count one index, and addresses are that index scaled: what strength reduction would
  // find for them the addressing modes do. It is a quarter of the code generator's time, and
  // canon-freeze only prepares for it.
  SmallVector<StringRef> skip = {"loop-reduce", "canon-freeze"};
  // In large kernels, whose inner loops are products, constants that wait in registers are
  // mostly spilled again: half of the allocator's work, and nothing for speed.
  if (module.getInstructionCount() > kLargeModule)
    skip.push_back("early-machinelicm");
  return tessera::generateCode(module, **machine, kind, skip);
}

Expected<std::string> tessera::cpu::emitObject(Module &module, const CPUSpec &spec) {
  return emit(module, spec, CodeGenFileType::ObjectFile);
}

Expected<std::string> tessera::cpu::emitAssembly(const Module &module, const CPUSpec &spec) {
  std::unique_ptr<Module> copy = CloneModule(module);
  return emit(*copy, spec, CodeGenFileType::AssemblyFile);
}
