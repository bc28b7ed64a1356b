//===- Pipeline.cpp - the stages of the AMD target ------------------------===//
// One function per stage. The IR after each:
//
//   make_ttir    TTIR: one kernel; pointers and masks (lib/TTIR/Transforms/Pipeline.cpp)
//   make_ttgir   TTGIR: every tensor has its final layout
//   make_llir    first the LLVM dialect, with branches, shared memory offsets and barriers; then
//                optimised LLVM IR
//   make_amdgcn  assembly from LLVM's back end
//   make_hsaco   a code object: the assembly assembled and linked
//
// PassPipelines.cpp lists the passes of make_ttgir and make_llir.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "AnnotateModule.h"
#include "LoopRegisters.h"
#include "MathLibrary.h"
#include "OcmlLibrary.h"
#include "PackBytes.h"
#include "tessera/LLIR/DebugInfo.h"
#include "tessera/LLIR/DeviceLibrary.h"
#include "tessera/LLIR/Optimize.h"
#include "tessera/LLIR/Translate.h"
#include "tessera/Support/FindTool.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/AMD/AmdTarget.h"
#include "tessera/Target/AMD/Assembly.h"
#include "tessera/Target/AMD/Binary.h"
#include "tessera/Target/StageErrors.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks the options that depend on the chip.
static LogicalResult checkOptions(StageState &state, const AmdSpec &spec) {
  const CompileOptions &options = state.options;
  Location loc = locationOf(state);
  if (!llvm::isPowerOf2_32(options.numWarps) || options.numWarps > spec.maxWarps())
    return emitUnsupported(loc) << "num_warps = " << options.numWarps << " on " << spec.chip
                                << ", whose warps have " << spec.threadsPerWarp
                                << " threads; use a power of two from 1 to " << spec.maxWarps();
  if (options.numCTAs != 1)
    return emitUnsupported(loc) << "num_ctas = " << options.numCTAs << " on " << spec.chip
                                << ", which has no thread-block clusters; use 1";
  if (options.wavesPerEU > spec.maxWarpsPerSIMD)
    return emitUnsupported(loc) << "waves_per_eu = " << options.wavesPerEU << " on " << spec.chip
                                << "; use 1 to " << spec.maxWarpsPerSIMD
                                << ", or 0 to let the compiler choose";
  unsigned dim = options.matrixInstrNonKDim;
  if (dim != 0 && dim != 16 && dim != 32)
    return emitUnsupported(loc) << "matrix_instr_nonkdim = " << dim
                                << "; use 16, 32, or 0 to let the compiler choose";
  if (options.kpack != 1 && options.kpack != 2)
    return emitUnsupported(loc) << "kpack = " << options.kpack << "; use 1 or 2";
  // Fewer than 16 registers do not hold a kernel's own bookkeeping.
  if (options.maxRegisters != 0 &&
      (options.maxRegisters < 16 || options.maxRegisters > spec.maxRegistersPerThread))
    return emitUnsupported(loc) << "maxnreg = " << options.maxRegisters << "; use 16 to "
                                << spec.maxRegistersPerThread << ", or 0 for no limit";
  return success();
}

/// Checks that a .ttgir file has layouts for this target.
static LogicalResult checkLaidOutFor(ModuleOp module, const AmdSpec &spec) {
  StringRef actual = ttg::getTargetName(module);
  unsigned lanes = ttg::getThreadsPerWarp(module);
  if (AmdSpec::parse(actual) != &spec)
    return emitUnsupported(module.getLoc())
           << "module laid out for '" << actual << "' on target " << spec.name()
           << "; use --target " << actual << ", or start from its ttir";
  if (lanes != spec.threadsPerWarp)
    return emitUnsupported(module.getLoc())
           << "module laid out for warps of " << lanes << " threads on " << spec.chip
           << ", whose warps have " << spec.threadsPerWarp;
  return success();
}

static void noteKernel(StageState &state) {
  state.record.setHidden({}, {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch});
  (*state.module).walk([&](tt::ElementwiseInlineAsmOp) { state.hasInlineAssembly = true; });
}

//===----------------------------------------------------------------------===//
// The stages
//===----------------------------------------------------------------------===//

static LogicalResult makeTTIR(StageState &state) {
  PassManager passes(&state.context);
  state.instrument(passes);
  buildTTIRPipeline(passes,
                    {.keepDescriptors = false, .hasFloatExtrema = true, .readsHints = true});
  return passes.run(*state.module);
}

static LogicalResult makeTTGIR(StageState &state, const AmdSpec &spec) {
  if (failed(checkOptions(state, spec)))
    return failure();
  noteKernel(state);
  PassManager passes(&state.context);
  state.instrument(passes);
  buildTTGIRPipeline(passes, spec, state.options);
  if (state.options.maxRegisters != 0)
    ttg::setMaxRegisters(*state.module, state.options.maxRegisters);
  return passes.run(*state.module);
}

/// Records the resources of the kernel for the launcher. Runs after the MLIR passes of make_llir.
static void noteResources(StageState &state) {
  ModuleOp module = *state.module;
  state.record.numWarps = ttg::getTotalNumWarps(module);
  state.record.threadsPerWarp = ttg::getThreadsPerWarp(module);
  state.record.sharedBytes = ttg::getSharedBytes(module);
  state.record.globalScratch = {ttg::getGlobalScratchBytes(module),
                                ttg::getGlobalScratchAlign(module)};
}

static LogicalResult makeMachine(StageState &state, const AmdSpec &spec) {
  if (state.machine)
    return success();
  // All options are in the kernel's attributes, so a machine serves every kernel for its chip.
  std::shared_ptr<llvm::TargetMachine> *known =
      state.machines ? &(*state.machines)[spec.name()] : &state.machine;
  if (!*known) {
    llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(spec);
    if (!machine)
      return reportUnsupported(state, machine.takeError());
    *known = std::move(*machine);
  }
  state.machine = *known;
  return success();
}

/// Returns the location of a call of `name`.
static Location locationOfCall(StageState &state, StringRef name) {
  std::optional<Location> found;
  (*state.module)->walk([&](LLVM::CallOp call) {
    if (call.getCallee() != name)
      return WalkResult::advance();
    found = call.getLoc();
    return WalkResult::interrupt();
  });
  return found.value_or(locationOf(state));
}

/// Links the math functions that the kernel calls. LLVM's back end would end the process on a
/// function without a body.
static LogicalResult linkMath(StageState &state, const AmdSpec &spec, StringRef ocml) {
  if (firstUndefinedFunction(*state.llvmModule, {}).empty())
    return success();
  if (llvm::Error error = linkMathLibrary(*state.llvmModule))
    return reportError(state, std::move(error));
  std::string missing = firstUndefinedFunction(*state.llvmModule, {});
  if (missing.empty())
    return success();
  if (!ocml.empty())
    if (llvm::Error error = linkOcml(*state.llvmModule, ocml, spec, state.options.allowFlushDenorm))
      return reportUnsupported(state, std::move(error));
  missing = firstUndefinedFunction(*state.llvmModule, {});
  if (missing.empty())
    return success();
  InFlightDiagnostic error = emitUnsupported(locationOfCall(state, missing));
  error << "call of '" << missing << "' on " << spec.name();
  if (ocml.empty())
    return error << ", for which there is no code; install ROCm's device libraries, or name "
                    "their ocml.bc in TESSERA_OCML_PATH";
  return error << ", which '" << ocml << "' does not have either";
}

/// Returns whether the vector, which is made element by element, has an element that floating-point
/// arithmetic computes.
static bool isComputed(const llvm::Value *vector) {
  for (; auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector);
       vector = insert->getOperand(0)) {
    auto *element = llvm::dyn_cast<llvm::Instruction>(insert->getOperand(1));
    if (element && element->isBinaryOp() && element->getType()->isFloatTy())
      return true;
  }
  return false;
}

/// Returns whether a matrix product adds to sums that the kernel computes with, such as those that
/// attention scales in each iteration.
static bool scalesSums(const llvm::Module &module) {
  constexpr unsigned sums = 2; // the third operand
  for (const llvm::Function &function : module)
    if (function.getName().starts_with("llvm.amdgcn.mfma"))
      for (const llvm::User *user : function.users())
        if (isComputed(llvm::cast<llvm::CallInst>(user)->getArgOperand(sums)))
          return true;
  return false;
}

/// Chooses LLVM's passes. Packed arithmetic pays where sums of matrix products are scaled in a
/// loop: elements of other tensors would have to be moved into pairs of registers first (measured
/// on layernorm: 10 % more instructions), and the pass takes a tenth of a product's compile time.
static LLIRChoices choosePasses(const llvm::Module &module, const AmdSpec &spec) {
  LLIRChoices choices;
  choices.packArithmetic = spec.hasPackedF32() && scalesSums(module);
  // Sums are values, not memory: comparing all accesses of a product's loop takes 3 % of its
  // compile time, and finds nothing to promote.
  choices.promoteMemory = false;
  return choices;
}

static LogicalResult makeLLIR(StageState &state, const AmdSpec &spec, StringRef ocml) {
  if (failed(checkLaidOutFor(*state.module, spec)))
    return failure();
  noteKernel(state);
  PassManager passes(&state.context);
  state.instrument(passes);
  buildLLIRPipeline(passes, spec, state.options);
  if (failed(passes.run(*state.module)))
    return failure();
  noteResources(state);
  if (state.options.lineInfo)
    addDebugInfo(*state.module, {LLVM::DIEmissionKind::LineTablesOnly, /*folder=*/""});

  if (failed(makeMachine(state, spec)))
    return failure();
  if (!state.llvmContext)
    state.llvmContext = std::make_unique<llvm::LLVMContext>();
  state.llvmModule = translateToLLVMIR(*state.module, *state.llvmContext, *state.machine);
  if (!state.llvmModule)
    return failure();
  // Before functions of a library are there.
  if (state.options.fpFusion)
    allowContraction(*state.llvmModule);
  if (failed(linkMath(state, spec, ocml)))
    return failure();
  annotateAtomics(*state.llvmModule);
  if (llvm::Error error =
          optimizeLLVMIR(*state.llvmModule, *state.machine, choosePasses(*state.llvmModule, spec),
                         locationOf(state), state.instrumentLLVM))
    return reportError(state, std::move(error));
  dropMaskedSelects(*state.llvmModule);
  widenRemainders(*state.llvmModule);
  packBytes(*state.llvmModule);
  protectBufferOffsets(*state.llvmModule);
  freezeCarriedOffsets(*state.llvmModule);
  annotateKernels(*state.llvmModule, spec, state.options);
  saveLoopRegisters(*state.llvmModule, spec);
  return success();
}

/// For a compilation that starts from LLVM IR.
static void noteKernel(StageState &state, const llvm::Module &module, const AmdSpec &spec) {
  for (const llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL || function.isDeclaration())
      continue;
    unsigned numThreads = 0;
    StringRef threads = function.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString();
    if (state.record.numWarps == 0 && !threads.rsplit(',').second.getAsInteger(10, numThreads)) {
      state.record.threadsPerWarp = spec.threadsPerWarp;
      state.record.numWarps = llvm::divideCeil(numThreads, spec.threadsPerWarp);
    }
  }
}

static LogicalResult makeAssembly(StageState &state, const AmdSpec &spec) {
  noteKernel(state, *state.llvmModule, spec);
  if (failed(makeMachine(state, spec)))
    return failure();
  llvm::Expected<std::string> assembly = emitAssembly(*state.llvmModule, *state.machine);
  // LLVM checks the registers and operands of inline assembly here.
  if (!assembly && state.hasInlineAssembly)
    return emitProgramError(locationOf(state)) << llvm::toString(assembly.takeError());
  if (!assembly)
    return reportError(state, assembly.takeError());
  state.assembly = std::move(*assembly);
  return success();
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

namespace {
class AmdTarget : public Target {
public:
  AmdTarget(const AmdSpec &spec, const ToolPaths &tools) : spec(spec), ocml(tools.get(kOcmlRole)) {}

  std::string name() const override { return spec.name(); }

  LanguageTarget languageTarget() const override {
    LanguageTarget language;
    language.backend = "hip";
    language.arch = spec.chip.str();
    language.warpSize = spec.threadsPerWarp;
    language.fp8Types = {DType::FP8E4NV, DType::FP8E5, DType::FP8E5B16, DType::FP8E4B8};
    language.dotPrecisions = {"ieee", "bf16x3", "bf16x6"};
    if (spec.hasXF32())
      language.dotPrecisions.push_back("tf32");
    // Dots that no matrix instruction takes are computed by multiply-adds.
    language.minDotInner = language.minDotInner8Bit = 1;
    language.maxImpreciseAccumulations = 0;
    return language;
  }

  llvm::SmallVector<Stage> stages() const override {
    // Stages may outlive the target: they hold what they need by value.
    const AmdSpec *chip = &spec;
    return {
        {"make_ttir", "ttir", ProgramForm::Module, makeTTIR},
        {"make_ttgir", "ttgir", ProgramForm::Module,
         [chip](StageState &state) { return makeTTGIR(state, *chip); }},
        {"make_llir", "llir", ProgramForm::LLVM,
         [chip, ocml = ocml](StageState &state) { return makeLLIR(state, *chip, ocml); }},
        {"make_amdgcn", "amdgcn", ProgramForm::Assembly,
         [chip](StageState &state) { return makeAssembly(state, *chip); }},
        {"make_hsaco", "hsaco", ProgramForm::Binary,
         [chip](StageState &state) { return makeHSACO(state, *chip); }},
    };
  }

  PassNeed needOf(llvm::StringRef pass) const override {
    PassNeed own = amd::needOf(pass);
    return own == PassNeed::Always ? needOfSharedPass(pass) : own;
  }

  std::optional<MachineFacts> machineFacts(const KernelRecord &record) const override {
    return amd::machineFacts(spec, record);
  }

  std::vector<GridStation> gridStations(const KernelRecord &record) const override {
    return amd::gridStations(record);
  }

  std::string cacheText() const override {
    return (spec.chip + " ocml " + identifyFile(ocml)).str();
  }

private:
  const AmdSpec &spec;
  std::string ocml; // ocml.bc, or empty
};
} // namespace

std::unique_ptr<Target> amd::createAmdTarget(const AmdSpec &spec, const ToolPaths &tools) {
  return std::make_unique<AmdTarget>(spec, tools);
}
