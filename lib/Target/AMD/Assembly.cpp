//===- Assembly.cpp - from LLVM IR to AMDGCN assembly ---------------------===//
// See Assembly.h.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Assembly.h"
#include "tessera/LLIR/Backend.h"
#include "tessera/Support/Error.h"
#include "llvm-c/Target.h"
#include "llvm/MC/TargetRegistry.h"

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

Expected<std::string> amd::emitAssembly(Module &module, TargetMachine &machine) {
  const Triple &triple = module.getTargetTriple();
  if (!triple.str().empty() && !triple.isAMDGCN())
    return makeError("the LLVM IR is for '" + triple.str() + "', not for an AMD GPU");
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  return generateCode(module, machine, CodeGenFileType::AssemblyFile);
}
