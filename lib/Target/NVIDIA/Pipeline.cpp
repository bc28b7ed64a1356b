//===- Pipeline.cpp - the stages of the NVIDIA target ---------------------===//
// One function per stage. The IR after each:
//
//   make_ttir   TTIR: one kernel; pointers and masks, descriptors only on chips with TMA
//               (lib/TTIR/Transforms/Pipeline.cpp)
//   make_ttgir  TTGIR: every tensor has its final layout; dots have the accumulator layout of the
//               tensor cores, or a blocked one for multiply-adds; loops are software-pipelined,
//               with buffers, asynchronous copies and waits
//   make_llir   first the LLVM and NVVM dialects, with branches, shared memory offsets and
//               barriers; then optimised LLVM IR, linked with libdevice
//   make_ptx    PTX from LLVM's back end
//   make_cubin  a CUBIN from ptxas; if it spilled registers, the stages from make_ttgir on run
//               again with other choices
//
// PassPipelines.cpp lists the passes of make_ttgir and make_llir.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "RegisterWarnings.h"
#include "tessera/LLIR/DebugInfo.h"
#include "tessera/LLIR/DeviceLibrary.h"
#include "tessera/LLIR/Optimize.h"
#include "tessera/LLIR/Translate.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/FindTool.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/KernelArguments.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/Target/NVIDIA/Assembly.h"
#include "tessera/Target/NVIDIA/Binary.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/TensorMapArguments.h"
#include "tessera/Target/StageErrors.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

//===----------------------------------------------------------------------===//
// Errors and checks
//===----------------------------------------------------------------------===//

/// Checks the options that depend on the chip.
static LogicalResult checkOptions(StageState &state, const NvidiaSpec &spec) {
  const CompileOptions &options = state.options;
  Location loc = locationOf(state);
  if (!llvm::isPowerOf2_32(options.numWarps) || options.numWarps > NvidiaSpec::maxWarps)
    return emitUnsupported(loc) << "num_warps = " << options.numWarps
                                << "; use a power of two from 1 to " << NvidiaSpec::maxWarps;
  if (!llvm::isPowerOf2_32(options.numCTAs) || options.numCTAs > NvidiaSpec::maxClusterBlocks)
    return emitUnsupported(loc) << "num_ctas = " << options.numCTAs
                                << "; use a power of two from 1 to "
                                << NvidiaSpec::maxClusterBlocks;
  if (options.numCTAs != 1 && !spec.hasClusters())
    return emitUnsupported(loc) << "num_ctas = " << options.numCTAs << " on " << spec.chip
                                << ", which has no thread-block clusters; use 1";
  if (options.wgmma != "auto" && options.wgmma != "off")
    return emitUnsupported(loc) << "wgmma = " << options.wgmma << "; use auto or off";
  if (options.tma != "auto" && options.tma != "off")
    return emitUnsupported(loc) << "tma = " << options.tma << "; use auto or off";
  if (options.warpSpecialize != "auto" && options.warpSpecialize != "on" &&
      options.warpSpecialize != "off")
    return emitUnsupported(loc) << "warp-specialize = " << options.warpSpecialize
                                << "; use auto, on or off";
  // Fewer than 16 registers do not hold a kernel's own bookkeeping.
  if (options.maxRegisters != 0 &&
      (options.maxRegisters < 16 || options.maxRegisters > NvidiaSpec::maxRegistersPerThread))
    return emitUnsupported(loc) << "maxnreg = " << options.maxRegisters << "; use 16 to "
                                << NvidiaSpec::maxRegistersPerThread << ", or 0 for no limit";
  return success();
}

/// Checks that a .ttgir file has layouts for this target.
static LogicalResult checkLaidOutFor(ModuleOp module, const NvidiaSpec &spec) {
  std::string expected = llvm::formatv("cuda:{0}", spec.capability);
  StringRef actual = ttg::getTargetName(module);
  if (actual == expected)
    return success();
  return emitUnsupported(module.getLoc())
         << "module laid out for '" << actual << "' on target " << expected << "; use --target "
         << actual << ", or start from its ttir";
}

/// Notes the hidden arguments. In TTGIR the kernel may have tensor maps that the launcher builds.
static LogicalResult noteKernel(StageState &state) {
  std::vector<TensorMapRecipe> maps;
  for (tt::FuncOp kernel : tt::findKernels(*state.module)) {
    if (kernel.getName() != state.record.kernelName)
      continue;
    FailureOr<std::vector<TensorMapRecipe>> found = readTensorMaps(kernel);
    if (failed(found))
      return failure();
    maps = std::move(*found);
  }
  state.record.setHidden(std::move(maps),
                         {HiddenArgument::GlobalScratch, HiddenArgument::ProfileScratch});
  (*state.module).walk([&](tt::ElementwiseInlineAsmOp) { state.hasInlineAssembly = true; });
  return success();
}

//===----------------------------------------------------------------------===//
// The stages
//===----------------------------------------------------------------------===//

static LogicalResult makeTTIR(StageState &state, const NvidiaSpec &spec) {
  PassManager passes(&state.context);
  state.instrument(passes);
  buildTTIRPipeline(passes, {.keepDescriptors = spec.hasTensorMemoryAccess(), .readsHints = true});
  return passes.run(*state.module);
}

/// PTX ISA, Identifiers: WARP_SZ is predefined, no other identifier without a % is; and '_' is one
/// only if a letter, digit or '_' follows.
static LogicalResult checkName(StageState &state) {
  if (state.record.kernelName == "_")
    return emitUnsupported(locationOf(state)) << "a kernel called '_', which PTX cannot name; "
                                                 "rename it";
  if (state.record.kernelName != "WARP_SZ")
    return success();
  return emitUnsupported(locationOf(state))
         << "a kernel called 'WARP_SZ', which PTX predefines; rename it";
}

/// Returns whether the kernel still accesses memory through tensor descriptors.
static bool usesDescriptors(ModuleOp module) {
  auto isDescriptor = [](Type type) { return isa<tt::TensorDescType>(type); };
  return module
      .walk([&](Operation *op) {
        auto function = dyn_cast<tt::FuncOp>(op);
        return llvm::any_of(op->getResultTypes(), isDescriptor) ||
                       (function && llvm::any_of(function.getArgumentTypes(), isDescriptor))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Rewrites the descriptors that make_ttir kept to pointers and masks, and simplifies the result as
/// make_ttir does.
static void addDescriptorsThroughPointers(OpPassManager &pm) {
  pm.addPass(createTTRewriteTensorDescriptorToPointer(
      {.hasFloatExtrema = true, .narrowIndices = true, .hints = true, .markAccesses = true}));
  pm.addPass(createTTCanonicalizer());
  pm.addPass(createTTCombine());
  pm.addPass(createTTReorderBroadcast());
  pm.addPass(createCSEPass());
}

namespace {
/// A way to compile a kernel (Target::otherAttempts).
struct AttemptChoices {
  const char *description;
  /// Sets a register limit that allows all registers of the SM. Without a limit, ptxas aims at an
  /// occupancy; if it cannot reach it, it gives up and spills everything into 32 registers.
  bool allRegisters = false;
  TTGIRChoices ttgir = {};
  LLIRChoices llir = {};
};
} // namespace

static constexpr AttemptChoices kAttempts[] = {
    {.description = "the usual way"},
    {.description = "reading shared memory in front of products",
     .llir = {.sinkSharedLoads = false}},
    {.description = "reading fixed operands in every iteration", .ttgir = {.rereadOperands = true}},
    {.description = "with all registers", .allRegisters = true},
    {.description = "with all registers, and no loads carried in them",
     .allRegisters = true,
     .ttgir = {.carryLoads = false}},
    {.description = "with all registers, and reading shared memory in front of products",
     .allRegisters = true,
     .llir = {.sinkSharedLoads = false}},
    {.description = "with all registers, and reading fixed operands in every iteration",
     .allRegisters = true,
     .ttgir = {.rereadOperands = true}},
    {.description = "awaiting each product where it is", .ttgir = {.overlapDots = false}},
    {.description = "with arithmetic in front of its uses", .llir = {.sinkArithmetic = true}},
    {.description = "with all registers, and with arithmetic in front of its uses",
     .allRegisters = true,
     .llir = {.sinkArithmetic = true}},
    {.description = "with all registers, and keeping operands in shared memory",
     .allRegisters = true,
     .ttgir = {.reuseBuffers = true}},
};
/// The attempts after few spilled bytes, which may be an accident of the order, and after
/// many, which come from too many live values.
static constexpr unsigned kAfterFew[] = {1, 2, 3, 8}, kAfterMany[] = {3, 4, 5, 6, 9, 10};
/// The attempt after ptxas has serialised products by wgmma: it then waits after each
/// instruction, which costs more than one wait for all of a dot.
static constexpr unsigned kAfterSerialising = 7;
static constexpr int kManySpilledBytes = 256;

static bool isSerialised(const KernelRecord &record) {
  return llvm::StringRef(record.assemblerAdvice).contains("serialized");
}

/// Returns the assembler's register limit, for laid out kernels; 0 for none.
static unsigned chooseMaxRegisters(const StageState &state) {
  if (state.options.maxRegisters != 0 || !kAttempts[state.attempt].allRegisters)
    return state.options.maxRegisters;
  unsigned threads = ttg::getTotalNumWarps(*state.module) * NvidiaSpec::threadsPerWarp;
  constexpr unsigned granularity = 8; // registers are given to warps in units of 8 a thread
  unsigned each = NvidiaSpec::registersPerSM / threads / granularity * granularity;
  return std::min(each, unsigned(NvidiaSpec::maxRegistersPerThread));
}

/// Rings of tiles may have been made for warps that the kernel cannot have. The stage then runs
/// again, and makes the usual ones.
static void noteMissingRoles(StageState &state) {
  if (!state.without.empty())
    declined(locationOf(state), "make_ttgir", "warp-roles")
        .says("no warps of their own start the copies of tiles")
        .because("{0}", state.without);
  if (auto why = dyn_cast_or_null<StringAttr>((*state.module)->removeAttr(kRolesMissingAttr)))
    state.without = why.str();
}

static LogicalResult makeTTGIR(StageState &state, const NvidiaSpec &spec) {
  if (failed(checkOptions(state, spec)))
    return failure();
  if (failed(noteKernel(state)) || failed(checkName(state)))
    return failure();
  PassManager passes(&state.context);
  state.instrument(passes);
  if (usesDescriptors(*state.module))
    addDescriptorsThroughPointers(passes);
  CompileOptions options = state.options;
  if (!state.without.empty())
    options.warpSpecialize = "off";
  buildTTGIRPipeline(passes, spec, options, kAttempts[state.attempt].ttgir);
  if (failed(passes.run(*state.module)))
    return failure();
  if (unsigned most = chooseMaxRegisters(state))
    ttg::setMaxRegisters(*state.module, most);
  noteMissingRoles(state);
  if (state.attempt == 0)
    state.slowness = warnOfRegisters(*state.module);
  return success();
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

/// Links functions without an instruction from the vendor's library.
static LogicalResult linkMath(StageState &state, const Toolkit &tools) {
  // libdevice calls __nvvm_reflect to choose a variant, and a pass folds these calls; the driver
  // provides the others.
  StringRef provided[] = {"__nvvm_reflect", "vprintf", "__assertfail"};
  std::string missing = firstUndefinedFunction(*state.llvmModule, provided);
  if (missing.empty())
    return success();
  if (tools.libdevice.empty())
    return emitUnsupported(locationOfCall(state, missing))
           << "kernel '" << state.record.kernelName << "' calls '" << missing
           << "' of libdevice, and there is no libdevice.10.bc; install a CUDA toolkit";
  if (llvm::Error error = linkDeviceLibrary(*state.llvmModule, tools.libdevice))
    return isUnsupported(error) ? reportUnsupported(state, std::move(error))
                                : reportError(state, std::move(error));
  // Selects libdevice's variants that flush subnormals.
  state.llvmModule->addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz",
                                  state.options.reflectFtz);
  missing = firstUndefinedFunction(*state.llvmModule, provided);
  if (missing.empty())
    return success();
  return emitUnsupported(locationOfCall(state, missing))
         << "kernel '" << state.record.kernelName << "' calls '" << missing
         << "', which the library '" << tools.libdevice << "' does not have";
}

static void forEachInlineAssembly(llvm::Module &module,
                                  llvm::function_ref<void(llvm::CallInst &, StringRef)> visit) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
          visit(*call, llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString());
}

/// Statements that all lanes of a warp must reach together must not be moved into branches:
/// MLIR's inline assembly cannot say so.
static void markConvergentAssembly(llvm::Module &module) {
  forEachInlineAssembly(module, [](llvm::CallInst &call, StringRef text) {
    if (text.contains(".aligned"))
      call.setConvergent();
  });
}

/// The PTX version for a kernel that makes tensor maps; 0 for others.
static unsigned leastPtxVersion(StageState &state) {
  auto makesMaps = [](StringRef text) {
    return text.contains("tensormap.replace") || text.contains("proxy.tensormap");
  };
  bool found = false;
  if (state.module)
    (*state.module).walk([&](LLVM::InlineAsmOp op) { found |= makesMaps(op.getAsmString()); });
  else if (state.llvmModule)
    forEachInlineAssembly(*state.llvmModule,
                          [&](llvm::CallInst &, StringRef text) { found |= makesMaps(text); });
  return found ? NvidiaSpec::tensorMapPtxVersion : 0;
}

/// The code generator, if no stage before needed it: a fourteenth of a vector add's compilation.
static LogicalResult makeMachine(StageState &state, const NvidiaSpec &spec) {
  if (state.machine)
    return success();
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(spec, state.options, leastPtxVersion(state));
  if (!machine)
    return reportUnsupported(state, machine.takeError());
  state.machine = std::move(*machine);
  return success();
}

static LogicalResult makeLLIR(StageState &state, const NvidiaSpec &spec, const Toolkit &tools) {
  if (failed(checkLaidOutFor(*state.module, spec)))
    return failure();
  if (failed(noteKernel(state)))
    return failure();
  PassManager passes(&state.context);
  state.instrument(passes);
  buildLLIRPipeline(passes, spec, state.options);
  if (failed(passes.run(*state.module)))
    return failure();
  noteResources(state);
  // `.loc` directives and no DWARF sections: PTX then needs no `debug` in its target
  // line, which would switch off ptxas's optimiser.
  if (state.options.lineInfo)
    addDebugInfo(*state.module, {LLVM::DIEmissionKind::DebugDirectivesOnly, /*folder=*/""});

  if (failed(makeMachine(state, spec)))
    return failure();
  registerNVVMDialectTranslation(state.context);
  if (!state.llvmContext)
    state.llvmContext = std::make_unique<llvm::LLVMContext>();
  state.llvmModule = translateToLLVMIR(*state.module, *state.llvmContext, *state.machine);
  if (!state.llvmModule || failed(linkMath(state, tools)))
    return failure();
  markConvergentAssembly(*state.llvmModule);
  LLIRChoices choices = kAttempts[state.attempt].llir;
  // libdevice asks __nvvm_reflect("__CUDA_FTZ") which variant it should be.
  choices.libraryPasses = "nvvm-reflect";
  if (llvm::Error error = optimizeLLVMIR(*state.llvmModule, *state.machine, choices,
                                         locationOf(state), state.instrumentLLVM))
    return reportError(state, std::move(error));
  return success();
}

/// For a compilation that starts from LLVM IR.
static void noteKernel(StageState &state, const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel || function.isDeclaration())
      continue;
    unsigned numThreads = 0;
    StringRef threads = function.getFnAttribute("nvvm.reqntid").getValueAsString();
    if (state.record.numWarps == 0 && !threads.split(',').first.getAsInteger(10, numThreads)) {
      state.record.threadsPerWarp = NvidiaSpec::threadsPerWarp;
      state.record.numWarps = llvm::divideCeil(numThreads, NvidiaSpec::threadsPerWarp);
    }
  }
}

static LogicalResult makePTX(StageState &state, const NvidiaSpec &spec) {
  noteKernel(state, *state.llvmModule);
  if (failed(makeMachine(state, spec)))
    return failure();
  llvm::Expected<std::string> ptx = emitPTX(*state.llvmModule, *state.machine);
  if (!ptx)
    return reportError(state, ptx.takeError());
  state.assembly = std::move(*ptx);
  return success();
}

/// Returns whether a branch of the PTX leads back, or threads wait for each other.
static bool loopsOrWaits(StringRef ptx) {
  llvm::StringSet<> passed;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    ptx = rest;
    line = line.trim(" \t;:");
    if (line.starts_with("bar"))
      return true;
    size_t label = line.find("$L__BB");
    if (label == 0)
      passed.insert(line);
    else if (label != StringRef::npos && passed.contains(line.substr(label)))
      return true;
  }
  return false;
}

/// How many blocks ptxas must leave registers for on each SM; 0 leaves the choice to it. By itself
/// it aims at so many warps that it has no registers for loads in flight: it then orders each
/// load right before its use. Kernels without matrix instructions that loop or reduce are faster
/// with 16 warps and loads that run ahead (int8 rows: 0.81 of the time, layer norm 0.80). Kernels
/// that only pass elements on need more warps than that (SwiGLU with 16: 1.35 of the time). Very
/// long kernels have too many values, and ptxas takes seconds.
static unsigned chooseMinBlocks(const StageState &state) {
  constexpr unsigned minWarps = 16;
  constexpr size_t maxBytes = 200'000;
  bool isTold = state.options.maxRegisters != 0 || !state.options.assemblerOptions.empty() ||
                kAttempts[state.attempt].allRegisters;
  StringRef ptx = state.assembly;
  bool hasProducts = ptx.contains("mma.sync.") || ptx.contains("wgmma.mma_async.");
  if (isTold || hasProducts || ptx.size() > maxBytes || state.record.numWarps == 0 ||
      !loopsOrWaits(ptx))
    return 0;
  return std::max(1u, minWarps / state.record.numWarps);
}

/// Returns the number of blocks with one more, if registers alone leave an SM few warps; else 0. Of
/// seven kernels that read and reduce rows, on an H200, five took 0.81 to 0.97 of their time with
/// that block, one took as long, and one 1.04.
static unsigned oneMoreBlock(const StageState &state, const NvidiaSpec &spec, int registers) {
  constexpr unsigned fewWarps = 32;
  KernelRecord record = state.record;
  record.registers = registers;
  std::optional<MachineFacts> facts = machineFacts(spec, record);
  if (!facts)
    return 0;
  unsigned byRegisters = 0, byOthers = ~0u;
  for (const auto &[name, blocks] : facts->limits)
    if (name == "registers")
      byRegisters = blocks;
    else
      byOthers = std::min(byOthers, blocks);
  bool isFew = byRegisters * record.numWarps <= fewWarps;
  return isFew && byRegisters != 0 && byRegisters < byOthers ? byRegisters + 1 : 0;
}

static llvm::Expected<AssembledKernel> assemble(const StageState &state, const NvidiaSpec &spec,
                                                const Toolkit &tools) {
  unsigned minBlocks = chooseMinBlocks(state);
  Toolkit described = tools;
  if (tools.watch && !state.slowness.empty())
    described.watch = [&](const std::string &work, double seconds) {
      return tools.watch(work + ": " + state.slowness, seconds);
    };
  llvm::Expected<AssembledKernel> kernel =
      assemblePTX(state.assembly, spec, state.options, described, minBlocks);
  if (!kernel || minBlocks == 0)
    return kernel;
  // A kernel that needs more registers gets them.
  if (kernel->report.spillBytes > 0)
    return assemblePTX(state.assembly, spec, state.options, described);
  unsigned more = oneMoreBlock(state, spec, kernel->report.registers);
  if (more == 0)
    return kernel;
  llvm::Expected<AssembledKernel> fuller =
      assemblePTX(state.assembly, spec, state.options, described, more);
  if (fuller && fuller->report.spillBytes == 0)
    return fuller;
  consumeError(fuller.takeError());
  return kernel;
}

static LogicalResult makeCubin(StageState &state, const NvidiaSpec &spec, const Toolkit &tools) {
  if (tools.ptxas.empty())
    return emitUnsupported(locationOf(state))
           << "making a cubin without ptxas; install a CUDA toolkit and put ptxas on PATH or pass "
              "--ptxas PATH, or use --emit ptx, which the driver compiles when it is loaded";
  llvm::Expected<AssembledKernel> kernel = assemble(state, spec, tools);
  if (!kernel) {
    Location loc = locationOf(state);
    llvm::Error reason = kernel.takeError();
    if (isUnsupported(reason)) {
      InFlightDiagnostic error = emitUnsupported(loc);
      setCode(error, "assembler");
      return error << llvm::toString(std::move(reason));
    }
    bool mayBeTheUsers = state.hasInlineAssembly || !state.options.assemblerOptions.empty();
    InFlightDiagnostic error = mayBeTheUsers ? emitProgramError(loc) : emitError(loc);
    setCode(error, "assembler");
    error << "cannot assemble ";
    if (state.record.kernelName.empty())
      error << "the PTX: ";
    else
      error << "kernel '" << state.record.kernelName << "': ";
    return error << llvm::toString(std::move(reason));
  }
  state.binary = std::move(kernel->cubin);
  if (state.record.kernelName.empty())
    state.record.kernelName = kernel->report.kernelName;
  state.record.registers = kernel->report.registers;
  state.record.spillBytes = kernel->report.spillBytes;
  state.record.assemblerAdvice = kernel->report.advice;
  state.record.assembler = describeAssembler(tools);
  noted(locationOf(state), "make_cubin", "assembler")
      .says("{0} registers, {1} bytes spilled", state.record.registers, state.record.spillBytes)
      .number("registers", state.record.registers)
      .number("spill-bytes", state.record.spillBytes);
  if (!state.record.assemblerAdvice.empty())
    declined(locationOf(state), "make_cubin", "assembler")
        .says("the assembler slows products down")
        .because("{0}", state.record.assemblerAdvice);
  return success();
}

static LogicalResult makeSASS(StageState &state, const Toolkit &tools) {
  if (tools.disassembler.empty())
    return emitUnsupported(locationOf(state))
           << "showing machine code without nvdisasm or cuobjdump; install a CUDA toolkit and put "
              "one of them on PATH";
  llvm::Expected<std::string> listing = disassembleCubin(state.binary, tools);
  if (!listing)
    return reportError(state, listing.takeError());
  state.assembly = std::move(*listing);
  return success();
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

namespace {
class NvidiaTarget : public Target {
public:
  NvidiaTarget(const NvidiaSpec &spec, const ToolPaths &tools) : spec(spec), tools(tools) {}

  std::string name() const override { return "cuda:" + std::to_string(spec.capability); }

  LanguageTarget languageTarget() const override {
    LanguageTarget language;
    language.backend = "cuda";
    language.capability = spec.capability;
    language.warpSize = NvidiaSpec::threadsPerWarp;
    language.fp8Types = {DType::FP8E5, DType::FP8E4B15};
    if (spec.hasPackedFP8Convert())
      language.fp8Types.push_back(DType::FP8E4NV);
    // wgmma accumulates fp8 products in fewer bits than fp32; mma.sync does not.
    language.maxImpreciseAccumulations = spec.hasWarpGroupMMA() ? int64_t(1) << 30 : 0;
    language.hasDescriptorReduceOfHalves = spec.hasTensorMemoryAccess();
    return language;
  }

  llvm::SmallVector<Stage> stages() const override {
    // Stages may outlive the target: they hold what they need by value.
    const NvidiaSpec *chip = &spec;
    auto paths = std::make_shared<const Toolkit>(tools);
    return {
        {"make_ttir", "ttir", ProgramForm::Module,
         [chip](StageState &state) { return makeTTIR(state, *chip); }},
        {"make_ttgir", "ttgir", ProgramForm::Module,
         [chip](StageState &state) { return makeTTGIR(state, *chip); }},
        {"make_llir", "llir", ProgramForm::LLVM,
         [chip, paths](StageState &state) { return makeLLIR(state, *chip, *paths); }},
        {"make_ptx", "ptx", ProgramForm::Assembly,
         [chip](StageState &state) { return makePTX(state, *chip); }},
        {"make_cubin", "cubin", ProgramForm::Binary,
         [chip, paths](StageState &state) { return makeCubin(state, *chip, *paths); },
         /*onDemand=*/false, kAssemblerRole.str()},
        {"make_sass", "sass", ProgramForm::Assembly,
         [paths](StageState &state) { return makeSASS(state, *paths); }, /*onDemand=*/true,
         kDisassemblerRole.str()},
    };
  }

  llvm::SmallVector<Attempt> otherAttempts(const StageState &state) const override {
    llvm::SmallVector<unsigned> numbers;
    if (isSerialised(state.record))
      numbers.push_back(kAfterSerialising);
    bool isTold = state.options.maxRegisters != 0 || !state.options.assemblerOptions.empty();
    if (state.record.spillBytes > 0 && !isTold)
      llvm::append_range(numbers, state.record.spillBytes >= kManySpilledBytes
                                      ? llvm::ArrayRef<unsigned>(kAfterMany)
                                      : llvm::ArrayRef<unsigned>(kAfterFew));
    llvm::SmallVector<Attempt> others;
    for (unsigned number : numbers)
      others.push_back({number, kAttempts[number].description});
    return others;
  }

  bool isBetter(const KernelRecord &a, const KernelRecord &b) const override {
    if (isSerialised(a) != isSerialised(b))
      return isSerialised(b);
    // More registers may mean fewer warps at a time: that must be worth it.
    return a.registers > b.registers ? a.spillBytes < b.spillBytes / 2
                                     : a.spillBytes < b.spillBytes;
  }

  PassNeed needOf(llvm::StringRef pass) const override {
    PassNeed own = nvidia::needOf(pass);
    return own == PassNeed::Always ? needOfSharedPass(pass) : own;
  }

  std::optional<MachineFacts> machineFacts(const KernelRecord &record) const override {
    return nvidia::machineFacts(spec, record);
  }

  std::vector<GridStation> gridStations(const KernelRecord &record) const override {
    return nvidia::gridStations(record);
  }

  std::string cacheText() const override {
    return llvm::formatv("{0} ptxas {1} libdevice {2}", spec.chip, identifyFile(tools.ptxas),
                         identifyFile(tools.libdevice));
  }

private:
  const NvidiaSpec &spec;
  Toolkit tools;
};
} // namespace

std::unique_ptr<Target> nvidia::createNvidiaTarget(const NvidiaSpec &spec, const ToolPaths &tools) {
  return std::make_unique<NvidiaTarget>(spec, tools);
}
