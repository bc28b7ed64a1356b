//===- Pipeline.cpp - the stages of the CPU target ------------------------===//
// make_ttir, make_llir, make_asm (only when asked for), make_obj: in order,
// and nothing else. See CPUTarget.h for what comes out.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "Binary.h"
#include "tessera/LLIR/Translate.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/CPUTarget.h"
#include "tessera/Target/CPU/Passes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

/// Reports `error` where the kernel begins.
static LogicalResult report(StageState &state, llvm::Error error) {
  Location loc = state.module ? (*state.module).getLoc() : UnknownLoc::get(&state.context);
  emitError(loc) << llvm::toString(std::move(error));
  return failure();
}

static LogicalResult makeTTIR(StageState &state) {
  PassManager passes(&state.context);
  state.instrument(passes);
  buildTTIRPipeline(passes);
  return passes.run(*state.module);
}

static LogicalResult makeLLIR(StageState &state) {
  for (auto function : (*state.module).getOps<tt::FuncOp>())
    if (function.isKernel() && state.facts.kernelName.empty())
      state.facts.kernelName = function.getName().str();

  llvm::Expected<CPUSpec> spec = CPUSpec::find(state.options.cpu);
  if (!spec)
    return report(state, spec.takeError());
  PassManager passes(&state.context);
  state.instrument(passes);
  // Addresses in loops become sums that the lowering can read.
  passes.addPass(createCarryOffsets());
  // Loops over tiles and programs; no tensor is left.
  passes.addPass(createConvertTTIRToLLVM({state.options.cpu, state.options.fpFusion}));
  if (failed(passes.run(*state.module)))
    return failure();

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = spec->createMachine();
  if (!machine)
    return report(state, machine.takeError());
  if (!state.llvmContext)
    state.llvmContext = std::make_unique<llvm::LLVMContext>();
  state.llvmModule = translateToLLVMIR(*state.module, *state.llvmContext, **machine);
  if (!state.llvmModule)
    return failure();
  if (llvm::Error error = optimize(*state.llvmModule, **machine))
    return report(state, std::move(error));
  return success();
}

static LogicalResult makeAssembly(StageState &state) {
  llvm::Expected<CPUSpec> spec = CPUSpec::find(state.options.cpu);
  if (!spec)
    return report(state, spec.takeError());
  llvm::Expected<std::string> text = emitAssembly(*state.llvmModule, *spec);
  if (!text)
    return report(state, text.takeError());
  state.assembly = std::move(*text);
  return success();
}

static LogicalResult makeObject(StageState &state) {
  llvm::Expected<CPUSpec> spec = CPUSpec::find(state.options.cpu);
  if (!spec)
    return report(state, spec.takeError());
  llvm::Expected<std::string> object = emitObject(*state.llvmModule, *spec);
  if (!object)
    return report(state, object.takeError());
  state.binary = std::move(*object);
  state.facts.assembler = "LLVM " LLVM_VERSION_STRING;
  return success();
}

namespace {
class CPUTarget : public Target {
public:
  std::string name() const override { return "cpu"; }

  LanguageTarget languageTarget() const override {
    LanguageTarget language;
    language.backend = "cpu";
    language.capability = 0;
    language.warpSize = 1;
    language.fp8Types = {DType::FP8E5, DType::FP8E4NV, DType::FP8E4B15, DType::FP8E4B8,
                         DType::FP8E5B16};
    // Full precision costs nothing extra here, and so comes first; the others are
    // accepted, and computed at least as precisely as they ask.
    language.dotPrecisions = {"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"};
    language.minDotInner = language.minDotInner8Bit = 1;
    language.maxImpreciseAccumulations = 0;
    return language;
  }

  llvm::SmallVector<Stage> stages() const override {
    return {{"make_ttir", "ttir", ProgramForm::Module, makeTTIR},
            {"make_llir", "llir", ProgramForm::LLVM, makeLLIR},
            {"make_asm", "asm", ProgramForm::Assembly, makeAssembly, /*onDemand=*/true},
            {"make_obj", "obj", ProgramForm::Binary, makeObject}};
  }

  std::string cacheText() const override {
    llvm::Expected<CPUSpec> spec = CPUSpec::find("");
    if (spec)
      return spec->text();
    return llvm::toString(spec.takeError());
  }
};
} // namespace

std::unique_ptr<Target> tessera::cpu::createCPUTarget() { return std::make_unique<CPUTarget>(); }
