//===- Optimize.h - the chosen LLVM passes --------------------------------===//
// Not O3: the passes that pay on code that comes from tiles, in the order that
// lets one feed the next. Optimize.cpp gives the reason of each.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace tessera {

/// The ways in which an attempt to compile a kernel may differ from the usual one.
struct LLIRChoices {
  /// Shared memory is read where the value is used, which takes fewer registers.
  bool sinkSharedLoads = true;
  /// The target's own LLVM passes over functions of its device library that were linked, as a
  /// pipeline string; null for none. The target machine registers them.
  const char *libraryPasses = nullptr;
};

/// Cost: about a millisecond for a kernel of a hundred instructions.
/// Fails only on invalid IR.
llvm::Error optimizeLLVMIR(llvm::Module &module, llvm::TargetMachine &machine,
                           const LLIRChoices &choices = {});

} // namespace tessera
