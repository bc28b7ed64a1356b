//===- Assembly.h - from LLVM IR to AMDGCN assembly -----------------------===//
// The text is written by LLVM's AMDGPU back end. No part of ROCm is needed.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/AMD/Spec.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace tessera::amd {

/// "amdgcn-amd-amdhsa"
extern const llvm::StringLiteral kTriple;

/// Registers LLVM's AMDGPU back end with its assembler; null with an `error` if there is none.
const llvm::Target *findAmdBackend(std::string &error);

/// The code generator for one chip. Not for sharing between threads.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const AmdSpec &spec);

/// Requires: `module` is valid (the back end ends the process otherwise), and was
/// translated for `machine` or names no other target.
llvm::Expected<std::string> emitAssembly(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tessera::amd
