//===- Assembly.cpp - from LLVM IR to AMDGCN assembly ---------------------===//
// See Assembly.h.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Assembly.h"
#include "KeepLaneMoves.h"
#include "KeepWaits.h"
#include "LoopRegisters.h"
#include "SplitConstants.h"
#include "tessera/LLIR/Backend.h"
#include "tessera/Support/Error.h"
#include "llvm-c/Target.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace tessera;

const StringLiteral amd::kTriple = "amdgcn-amd-amdhsa";

static void addAMDGPU() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
}

const Target *amd::findAmdBackend(std::string &error) {
  return findBackend(Triple(kTriple), addAMDGPU, error);
}

Expected<std::unique_ptr<TargetMachine>> amd::createTargetMachine(const AmdSpec &spec) {
  std::string ignored;
  const Target *target = findAmdBackend(ignored);
  if (!target)
    return makeError("this build has no AMDGPU code generator");
  TargetOptions machineOptions;
  // Operations that may be fused say so themselves (AnnotateModule.h).
  machineOptions.AllowFPOpFusion = FPOpFusion::Standard;
  machineOptions.MCOptions.AsmVerbose = false;
  // The back end is the only optimiser after LLVM IR: no assembler schedules or allocates again.
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(Triple(kTriple), spec.chip, /*Features=*/"", machineOptions,
                                  Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return makeError("this build's AMDGPU code generator does not know " + spec.chip);
  return machine;
}

/// Returns whether the back end expands operations of the module to instructions that a loop may
/// repeat needlessly: parts of divisions by a loop-invariant number.
static bool hasDivisions(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      bool isDivision = instruction.isIntDivRem() || instruction.getOpcode() == Instruction::FDiv;
      if (isDivision)
        return true;
    }
  return false;
}

static bool hasAtomics(const Module &module) {
  for (const Function &function : module) {
    if (function.isIntrinsic() && function.getName().contains(".atomic."))
      return true;
    for (const Instruction &instruction : instructions(function))
      if (instruction.isAtomic() && !isa<FenceInst>(instruction))
        return true;
  }
  return false;
}

static bool hasLoops(const Module &module) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
  for (const Function &function : module)
    if (!function.isDeclaration())
      FindFunctionBackedges(function, edges);
  return !edges.empty();
}

/// The passes of LLVM's code generator that cost more than they gain in kernels without loops.
static SmallVector<SkippedPass> skippedWithoutLoops(const amd::AmdSpec *chip) {
  SmallVector<SkippedPass> skip = {
      // They find nothing, but need analyses.
      "canon-freeze",
      "loop-reduce",
      "early-machinelicm",
      "machinelicm",
      "amdgpu-uniform-intrinsic-combine",
      // The copies that register allocation leaves are removed after the layout of the frame too.
      {"machine-cp", /*onlyFirst=*/true},
  };
  // Scheduling before register allocation has placed loads early. On CDNA a second scheduler also
  // moves instructions where s_nop would stand. RDNA has few such hazards, and llvm-mca counts
  // fewer cycles without it: 6 % in the mean of 34 kernels for gfx1100. It takes a tenth of the
  // code generator's time there.
  if (chip && !chip->hasMFMA())
    skip.push_back("postmisched");
  return skip;
}

/// The passes of LLVM's code generator that cost more than they gain.
static SmallVector<SkippedPass> passesToSkip(const Module &module, const amd::AmdSpec *chip) {
  bool loops = hasLoops(module);
  SmallVector<SkippedPass> skip = {
      // It takes a tenth of the code generator's time. The passes on LLVM IR have left it nothing
      // in loops, and elsewhere a few instructions.
      "machine-cse",
      // Reassociation (Optimize.cpp) has shared the sums of addresses. The second global value
      // numbering removes what strength reduction leaves in loops.
      {"gvn", /*onlyFirst=*/loops},
      "nary-reassociate",
      // These do nothing: all constants cost the same on these chips, and LLVM knows the lifetimes
      // of no variables in scratch memory.
      "consthoist",
      "stack-coloring",
      // Passes for what kernels do not have: libc's functions, instrumentation by attributes,
      // garbage collection, images. Each takes time to set up, and invalidates analyses.
      "amdgpu-image-intrinsic-opt",
      "amdgpu-export-kernel-runtime-handles",
      "amdgpu-sw-lower-lds",
      "mergeicmps",
      "expand-memcmp",
      "replace-with-veclib",
      "partially-inline-libcalls",
      "post-inline-ee-instrument",
      "safe-stack",
      "stack-protector",
      "objc-arc-contract",
      "xray-instrumentation",
      "fentry-insert",
      "fixup-statepoint-caller-saved",
      "machine-sanmd",
      "remove-loads-into-fake-uses",
  };
  if (!loops)
    skip.append(skippedWithoutLoops(chip));
  if (!hasAtomics(module))
    skip.push_back("amdgpu-atomic-optimizer");
  // It hoists parts of divisions; Optimize.cpp has hoisted all else.
  if (!loops || !hasDivisions(module))
    skip.push_back("licm");
  return skip;
}

static Expected<std::string> generate(Module &module, TargetMachine &machine,
                                      const OnResourceUsage &onUsage = {}) {
  auto passAfter = [](StringRef pass) -> Pass * {
    if (pass == amd::kFrameLayout)
      return amd::createSplitConstants();
    if (pass == amd::kBeforeDPPCombine)
      return amd::createKeepLaneMoves();
    return pass == amd::kMemoryLegalizer ? amd::createKeepWaits() : nullptr;
  };
  return generateCode(module, machine, CodeGenFileType::AssemblyFile,
                      passesToSkip(module, amd::AmdSpec::find(machine.getTargetCPU())), passAfter,
                      onUsage);
}

/// Limits each kernel's vector registers to its goal. Returns whether one has a goal.
static bool limitToGoals(Module &module) {
  bool changed = false;
  for (Function &function : module)
    if (function.hasFnAttribute(amd::kRegisterGoal)) {
      function.addFnAttr("amdgpu-num-vgpr",
                         function.getFnAttribute(amd::kRegisterGoal).getValueAsString());
      changed = true;
    }
  return changed;
}

/// Generates code in which kernels keep to their goals; nothing if that needs scratch memory.
static std::optional<std::string> emitWithinGoals(const Module &module, TargetMachine &machine) {
  std::unique_ptr<Module> copy = CloneModule(module);
  if (!limitToGoals(*copy))
    return std::nullopt;
  bool spills = false;
  Expected<std::string> assembly = generate(*copy, machine, [&](StringRef name, StringRef value) {
    spills |= name == "ScratchSize" && value != "0";
  });
  if (!assembly) {
    consumeError(assembly.takeError());
    return std::nullopt;
  }
  return spills ? std::nullopt : std::optional(std::move(*assembly));
}

Expected<std::string> amd::emitAssembly(Module &module, TargetMachine &machine) {
  const Triple &triple = module.getTargetTriple();
  if (!triple.str().empty() && !triple.isAMDGCN())
    return makeError("the LLVM IR is for '" + triple.str() + "', not for an AMD GPU");
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  bool hasGoal = any_of(
      module, [](const Function &function) { return function.hasFnAttribute(kRegisterGoal); });
  if (hasGoal)
    if (std::optional<std::string> assembly = emitWithinGoals(module, machine))
      return std::move(*assembly);
  return generate(module, machine);
}
