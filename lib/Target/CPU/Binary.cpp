//===- Binary.cpp - from LLVM IR to the processor's code ------------------===//
// See Binary.h. The incoming IR already consists of vector loops; vectorisers, unrollers and
// inliners would find nothing to do, and take most of O3's time.
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
  // The lowering keeps accumulators and other variables in allocas; SROA turns them into values.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  // The accesses of a nest repeat bounds and address computations.
  passes.addPass(EarlyCSEPass());
  // Most guards and bounds fold to constants, because block sizes are constant.
  passes.addPass(InstCombinePass());
  // Merges the exit block of one nest with the entry block of the next.
  passes.addPass(SimplifyCFGPass());
  // Hoists what is invariant over the programs of the range out of the program loop, and what is
  // invariant over the chunks of a row out of the row's loop.
  LoopPassManager loops;
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  return passes;
}

/// Moves the remaining allocas to the start of the entry block. The code generator splits blocks at
/// divisions, and an alloca outside of the first block would change the stack pointer at run time.
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

Error tessera::cpu::optimize(Module &module, TargetMachine &machine,
                             const InstrumentLLVM &instrument) {
  Error error = runPasses(
      module, machine,
      [](ModulePassManager &pipeline, PassBuilder &) {
        pipeline.addPass(createModuleToFunctionPassAdaptor(buildPipeline()));
      },
      instrument);
  for (Function &function : module)
    gatherVariables(function);
  return error;
}

/// From this number of instructions on, the code generator runs fewer passes.
static constexpr unsigned kLargeModule = 1500;

static Expected<std::string> emit(Module &module, const tessera::cpu::CPUSpec &spec,
                                  CodeGenFileType kind) {
  Expected<std::unique_ptr<TargetMachine>> machine = spec.createMachine();
  if (!machine)
    return machine.takeError();
  // A module that was read from a file may have another target triple.
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  // Loops have a single induction variable and addresses are that index scaled, which addressing
  // modes already express. Loop strength reduction is a quarter of the code generator's time, and
  // canon-freeze only prepares for it.
  SmallVector<tessera::SkippedPass> skip = {"loop-reduce", "canon-freeze"};
  // In large kernels, whose inner loops are products, constants that are hoisted into registers are
  // mostly spilled again: half of the register allocator's time, for no speedup.
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
