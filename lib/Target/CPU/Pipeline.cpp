//===- Pipeline.cpp - the stages of the CPU target ------------------------===//
// The stages in order, and the IR after each:
//
//   make_ttir  TTIR: one kernel without calls, block pointers, descriptors and hints
//              (lib/TTIR/Transforms/Pipeline.cpp)
//   make_llir  first TTIR and ttc ops (checks of accesses, sorts), then the LLVM dialect without
//              tensors, then optimised LLVM IR, for each processor of --mcpu
//   make_asm   assembly; only if it is requested, because make_obj does not need it
//   make_obj   an object file (CPUTarget.h describes its function)
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "Binary.h"
#include "Dispatch.h"
#include "tessera/LLIR/DebugInfo.h"
#include "tessera/LLIR/Translate.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/Target/CPU/CPUTarget.h"
#include "tessera/Target/CPU/Passes.h"
#include "tessera/Target/StageErrors.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

/// Returns the processor that --mcpu names; an unknown name is reported.
static FailureOr<CPUSpec> findSpec(StageState &state, StringRef name) {
  llvm::Expected<CPUSpec> spec = CPUSpec::find(name);
  if (spec)
    return *spec;
  emitUnsupported(locationOf(state)) << "--mcpu: " << llvm::toString(spec.takeError());
  return failure();
}

static LogicalResult makeTTIR(StageState &state) {
  PassManager passes(&state.context);
  state.instrument(passes);
  // Variables are marked before any pass moves or removes ops.
  if (state.options.debugInfo)
    passes.addPass(createCPUMarkVariables());
  buildTTIRPipeline(passes, {.hasFloatExtrema = true, .inlineEverything = true});
  return passes.run(*state.module);
}

/// Records what a caller must know about the kernel: the symbol that --symbol names, and the
/// sanitizer's argument.
static LogicalResult noteKernel(StageState &state) {
  KernelRecord &record = state.record;
  if (state.options.sanitize)
    record.hiddenArguments = {HiddenArgument::Sanitizer};
  StringRef pattern = state.options.symbol.empty() ? "*" : StringRef(state.options.symbol);
  std::string symbol;
  for (char c : pattern)
    symbol += c == '*' ? record.kernelName : std::string(1, c);
  auto isPart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c < 0;
  };
  if (!llvm::all_of(symbol, isPart))
    return emitUnsupported(locationOf(state))
           << "--symbol: '" << symbol << "' is no name that C or a linker script could use";
  record.symbol = symbol == record.kernelName ? "" : symbol;
  return success();
}

/// Returns whether the instruction is a nop of DebugTrace.
static bool isStatementMark(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->isInlineAsm();
}

/// Returns optimised LLVM IR for one processor. Consumes `module`.
static std::unique_ptr<llvm::Module> lowerFor(StageState &state, ModuleOp module,
                                              StringRef processor) {
  FailureOr<CPUSpec> spec = findSpec(state, processor);
  if (failed(spec))
    return nullptr;
  PassManager passes(&state.context);
  state.instrument(passes);
  // 1. Still TTIR. The checks of --sanitize are inserted first, while accesses and addresses are as
  //    the user wrote them; they are ttc ops.
  if (state.options.sanitize)
    passes.addPass(createCPUInsertAccessChecks());
  // Loops that advance tensors of pointers carry a scalar offset instead, so that the lowering
  // finds affine addresses.
  passes.addPass(createCPUCarryOffsets());
  // The steps of a sort become one ttc.exchange, before the lowering would make a loop nest of
  // each.
  passes.addPass(createCPUFindSortingNetworks());
  // 2. Tensors become loops over tiles, and the kernel a loop over programs.
  passes.addPass(createCPUConvertTTIRToLLIR({.cpu = processor.str(),
                                             .fpFusion = state.options.fpFusion,
                                             .debugInfo = state.options.debugInfo,
                                             .printRows = state.options.printRows}));
  // Translation to LLVM IR needs the LLVM dialect alone.
  TTVerifyPhaseOptions lowered;
  lowered.phase = "llvm-dialect";
  lowered.dialects = {"builtin", "llvm"};
  passes.addPass(createTTVerifyPhase(lowered));
  if (failed(passes.run(module)))
    return nullptr;
  if (state.options.lineInfo || state.options.debugInfo)
    addDebugInfo(module, {state.options.debugInfo ? LLVM::DIEmissionKind::Full
                                                  : LLVM::DIEmissionKind::LineTablesOnly,
                          state.options.debugDir});

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = spec->createMachine();
  if (!machine) {
    (void)reportError(state, machine.takeError());
    return nullptr;
  }
  std::unique_ptr<llvm::Module> result = translateToLLVMIR(module, *state.llvmContext, **machine);
  if (!result)
    return nullptr;
  if (state.options.debugInfo)
    markStatements(*result, isStatementMark);
  if (llvm::Error error = optimize(*result, **machine, state.instrumentLLVM)) {
    (void)reportError(state, std::move(error));
    return nullptr;
  }
  return result;
}

/// Gives the kernel's function the name that --symbol names.
static LogicalResult rename(StageState &state) {
  const KernelRecord &record = state.record;
  llvm::Function *kernel = state.llvmModule->getFunction(record.kernelName);
  if (!kernel || record.symbol.empty())
    return success();
  if (state.llvmModule->getNamedValue(record.symbol))
    return emitUnsupported(locationOf(state))
           << "--symbol: '" << record.symbol << "' is used by the kernel; choose another name";
  kernel->setName(record.symbol);
  return success();
}

static LogicalResult makeLLIR(StageState &state) {
  if (failed(noteKernel(state)))
    return failure();
  if (!state.llvmContext)
    state.llvmContext = std::make_unique<llvm::LLVMContext>();
  SmallVector<std::string> processors = CPUSpec::versions(state.options.cpu);
  SmallVector<Version> versions;
  for (const std::string &processor : processors) {
    OwningOpRef<ModuleOp> copy;
    bool isLast = versions.size() + 1 == processors.size();
    if (!isLast)
      copy = (*state.module).clone();
    std::unique_ptr<llvm::Module> version =
        lowerFor(state, isLast ? *state.module : *copy, processor);
    if (!version)
      return failure();
    versions.push_back({processor, std::move(version)});
  }
  if (versions.size() == 1) {
    state.llvmModule = std::move(versions.front().module);
    return rename(state);
  }
  llvm::Expected<std::unique_ptr<llvm::Module>> joined = joinVersions(versions);
  if (!joined)
    return reportError(state, joined.takeError());
  state.llvmModule = std::move(*joined);
  return rename(state);
}

static LogicalResult makeAssembly(StageState &state) {
  FailureOr<CPUSpec> spec = findSpec(state, state.options.cpu);
  if (failed(spec))
    return failure();
  llvm::Expected<std::string> text = emitAssembly(*state.llvmModule, *spec);
  if (!text)
    return reportError(state, text.takeError());
  state.assembly = std::move(*text);
  return success();
}

static LogicalResult makeObject(StageState &state) {
  FailureOr<CPUSpec> spec = findSpec(state, state.options.cpu);
  if (failed(spec))
    return failure();
  llvm::Expected<std::string> object = emitObject(*state.llvmModule, *spec);
  if (!object)
    return reportError(state, object.takeError());
  state.binary = std::move(*object);
  state.record.assembler = "LLVM " LLVM_VERSION_STRING;
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
    // Full precision costs nothing extra here, and is therefore the default; the others are
    // accepted, and computed at least as precisely as they require.
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

  PassNeed needOf(llvm::StringRef pass) const override {
    bool isOptional = pass == "cpu-carry-offsets" || pass == "cpu-find-sorting-networks";
    return isOptional ? PassNeed::Optional : needOfSharedPass(pass);
  }

  std::vector<GridStation> gridStations(const KernelRecord &record) const override {
    return cpu::gridStations(record);
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
