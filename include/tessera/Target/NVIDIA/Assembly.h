//===- Assembly.h - from LLVM IR to PTX -----------------------------------===//
// PTX is written by LLVM's NVPTX back end. No CUDA toolkit is needed.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace tessera::nvidia {

/// The code generator for one chip. Fails on a PTX version that the chip or
/// the code generator does not know. Cost: some 100 us; not for sharing
/// between threads.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const NvidiaSpec &spec, const CompileOptions &options,
                    unsigned leastPtxVersion = 0);

/// Requires: `module` is valid (the back end ends the process otherwise), and was
/// translated for `machine` or names no other target.
llvm::Expected<std::string> emitPTX(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tessera::nvidia
