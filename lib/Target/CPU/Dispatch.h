//===- Dispatch.h - versions of a function for several processors --------===//
// `--mcpu portable`: the object contains the kernel once for each level of the x86-64 psABI, and a
// function with the kernel's own name that executes cpuid on its first call and jumps to the best
// version for this machine. It needs no support of the linker (ifunc) or of a compiler's runtime
// library.
//
//   @k.v2  @k.v3  @k.v4     internal, each with its own target-cpu
//   @k                      chooses
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tessera::cpu {

/// A module for one processor, already optimised for it.
struct Version {
  std::string processor; // "x86-64-v3"
  std::unique_ptr<llvm::Module> module;
};

/// Links the modules, which share one context and define the same functions, into one. Requires:
/// versions as CPUSpec::versions("portable") lists them.
llvm::Expected<std::unique_ptr<llvm::Module>> joinVersions(llvm::MutableArrayRef<Version> versions);

} // namespace tessera::cpu
