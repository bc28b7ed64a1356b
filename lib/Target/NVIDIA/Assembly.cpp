//===- Assembly.cpp - from LLVM IR to PTX ---------------------------------===//
// See Assembly.h. The back end ends the process on a chip that its PTX version
// does not know; that is refused here first.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/Assembly.h"
#include "tessera/LLIR/Backend.h"
#include "tessera/Support/Error.h"
#include "llvm-c/Target.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tessera;

static void addNVPTX() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  // Shared, constant and local pointers in 32 bits: half the registers. The code
  // generator takes this from an option of LLVM only.
  auto option = cl::getRegisteredOptions().find("nvptx-short-ptr");
  if (option != cl::getRegisteredOptions().end())
    option->second->addOccurrence(0, "nvptx-short-ptr", "true");
}

static std::string describePtxVersion(unsigned version) {
  return formatv("{0}.{1}", version / 10, version % 10);
}

Expected<std::unique_ptr<TargetMachine>> nvidia::createTargetMachine(const NvidiaSpec &spec,
                                                                     const CompileOptions &options,
                                                                     unsigned leastPtxVersion) {
  unsigned least = std::max(spec.ptxVersion, leastPtxVersion);
  unsigned ptx = options.ptxVersion ? options.ptxVersion : least;
  if (ptx < least || ptx > NvidiaSpec::newestPtxVersion)
    return makeError(
        "PTX version " + Twine(describePtxVersion(ptx)) + " cannot be written for " + spec.chip +
        (least > spec.ptxVersion ? " with tensor maps of the kernel" : "") +
        ": use --ptx-version " + Twine(least) + " to " + Twine(NvidiaSpec::newestPtxVersion));
  std::string ignored;
  const Target *target = findBackend(Triple("nvptx64-nvidia-cuda"), addNVPTX, ignored);
  if (!target)
    return makeError("this build has no NVPTX code generator");

  TargetOptions machineOptions;
  // `add.f32` and `mul.f32` may be fused by ptxas, `add.rn.f32` may not.
  machineOptions.AllowFPOpFusion = options.fpFusion ? FPOpFusion::Fast : FPOpFusion::Strict;
  machineOptions.MCOptions.ABIName = "shortptr"; // as the data layout says
  machineOptions.MCOptions.AsmVerbose = false;
  std::string features = formatv("+ptx{0}", ptx);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      Triple("nvptx64-nvidia-cuda"), spec.chip, features, machineOptions, Reloc::PIC_, std::nullopt,
      // Aggressive would only add GVN instead of CSE between the address passes; ptxas optimises
      // the code again anyway.
      CodeGenOptLevel::Default));
  if (!machine)
    return makeError("this build's NVPTX code generator does not know " + spec.chip);
  return machine;
}

/// LLVM escapes quotes in the names of .file; ptxas knows no escapes and takes the
/// quote for the end. It becomes an apostrophe.
static void replaceQuotesInFileNames(std::string &ptx) {
  constexpr StringLiteral directive = "\n\t.file\t";
  for (size_t at = ptx.find(directive); at != std::string::npos; at = ptx.find(directive, at + 1))
    for (size_t quote = ptx.find("\\\"", at); quote < ptx.find('\n', at + 1);
         quote = ptx.find("\\\"", quote))
      ptx.replace(quote, 2, "'");
}

Expected<std::string> nvidia::emitPTX(Module &module, TargetMachine &machine) {
  const Triple &triple = module.getTargetTriple();
  if (!triple.str().empty() && !triple.isNVPTX())
    return makeError("the LLVM IR is for '" + triple.str() + "', not for an NVIDIA GPU");
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  // Optimize.cpp has left nothing for these, and ptxas does the like again: its code
  // is the same without them, a fifth of the time earlier. Strength reduction takes a
  // tenth of a matmul's time to split its pointers into sums, for which ptxas then
  // needs more instructions and registers.
  Expected<std::string> ptx =
      generateCode(module, machine, CodeGenFileType::AssemblyFile,
                   {"nary-reassociate", "early-cse", "canon-freeze", "loop-reduce", "consthoist",
                    "machinelicm", "early-machinelicm"});
  if (ptx)
    replaceQuotesInFileNames(*ptx);
  return ptx;
}
