//===- Pipeline.cpp - the stages of the null target -----------------------===//
// make_ttir, make_ttgir, make_llir: one function each.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/TTIRToTTGIR/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "null/NullTarget.h"
#include "null/Passes.h"
#include "null/Spec.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::null;

void null::buildTTGIRPipeline(OpPassManager &pm, const CompileOptions &options) {
  // One kernel without calls.
  pm.addPass(createTTInliner({.everything = true}));
  pm.addPass(createTTSymbolDCE());
  // Every tensor gets a layout; accesses get one whose threads read consecutive addresses.
  ConvertTTIRToTTGIROptions machine;
  machine.target = NullSpec::name;
  machine.numWarps = options.numWarps;
  machine.threadsPerWarp = NullSpec::threadsPerWarp;
  pm.addPass(createConvertTTIRToTTGIR(machine));
  pm.addPass(createTTGCoalesce({NullSpec::maxVectorBits, NullSpec::maxVectorBits}));
  // The layouts of all other tensors follow from those.
  pm.addPass(createTTGRemoveLayoutConversions());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTTLoopAwareCSE());
}

void null::buildLLIRPipeline(OpPassManager &pm) {
  // Facts about addresses become attributes while loops still have structure.
  pm.addPass(createTTGAssignAccessWidth({NullSpec::maxVectorBits}));
  pm.addPass(createTTGOutlineFunctions());
  pm.addPass(createSCFToControlFlowPass());
  // The lowering and the launcher read where buffers lie; barriers need to know it too.
  pm.addPass(createTTGAllocateSharedMemory({NullSpec::maxSharedBytes, NullSpec::name}));
  pm.addPass(createTTGInsertBarriers());
  pm.addPass(createNullConvertTTGIRToLLIR());
}

static LogicalResult makeTTIR(StageState &state) {
  PassManager passes(&state.context);
  state.instrument(passes);
  buildTTIRPipeline(passes, {});
  return passes.run(*state.module);
}

static LogicalResult makeTTGIR(StageState &state) {
  PassManager passes(&state.context);
  state.instrument(passes);
  buildTTGIRPipeline(passes, state.options);
  return passes.run(*state.module);
}

static LogicalResult makeLLIR(StageState &state) {
  PassManager passes(&state.context);
  state.instrument(passes);
  buildLLIRPipeline(passes);
  if (failed(passes.run(*state.module)))
    return failure();
  state.record.numWarps = ttg::getTotalNumWarps(*state.module);
  state.record.threadsPerWarp = ttg::getThreadsPerWarp(*state.module);
  state.record.sharedBytes = ttg::getSharedBytes(*state.module);
  registerBuiltinDialectTranslation(state.context);
  registerLLVMDialectTranslation(state.context);
  if (!state.llvmContext)
    state.llvmContext = std::make_unique<llvm::LLVMContext>();
  state.llvmModule = translateModuleToLLVMIR(*state.module, *state.llvmContext);
  return success(state.llvmModule != nullptr);
}

namespace {
class NullTarget : public Target {
public:
  std::string name() const override { return NullSpec::name; }

  LanguageTarget languageTarget() const override {
    LanguageTarget language;
    language.backend = NullSpec::name;
    language.capability = 0;
    language.warpSize = NullSpec::threadsPerWarp;
    return language;
  }

  llvm::SmallVector<Stage> stages() const override {
    return {{"make_ttir", "ttir", ProgramForm::Module, makeTTIR},
            {"make_ttgir", "ttgir", ProgramForm::Module, makeTTGIR},
            {"make_llir", "llir", ProgramForm::LLVM, makeLLIR}};
  }

  std::string cacheText() const override { return NullSpec::name; }
};
} // namespace

std::unique_ptr<Target> null::createNullTarget() { return std::make_unique<NullTarget>(); }
