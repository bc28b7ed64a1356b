//===- Binary.h - from LLVM IR to the processor's code --------------------===//
// The last two steps: the passes worth running on code that already consists
// of vector loops, and LLVM's code generator.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/CPU/Spec.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera::cpu {

/// Cost: about a millisecond for a vector add.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// An object file. The module's IR is no longer fit for printing afterwards.
llvm::Expected<std::string> emitObject(llvm::Module &module, const CPUSpec &spec);

} // namespace tessera::cpu
