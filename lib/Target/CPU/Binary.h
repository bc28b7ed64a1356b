//===- Binary.h - from LLVM IR to the processor's code --------------------===//
// The last two steps: the LLVM passes that pay off on code which already consists of vector loops,
// and LLVM's code generator.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/Backend.h"
#include "tessera/Target/CPU/Spec.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera::cpu {

/// Runs the LLVM passes. Cost: about a millisecond for a vector add.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const InstrumentLLVM &instrument = {});

/// Writes an object file. The code generator changes the module's IR, so it must not be printed
/// afterwards.
llvm::Expected<std::string> emitObject(llvm::Module &module, const CPUSpec &spec);

} // namespace tessera::cpu
