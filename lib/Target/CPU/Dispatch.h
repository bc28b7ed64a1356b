//===- Dispatch.h - one function, versions for several processors ---------===//
// `--mcpu portable`: the object holds the kernel once for each level of the
// x86-64 psABI, and a function under the kernel's own name that asks cpuid, the
// first time, and jumps to the best version that this machine can run. Nothing
// is needed of the linker (no ifunc) or of a compiler's runtime library.
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

/// Joins the modules, which are in one context and define the same functions.
/// Requires: versions as CPUSpec::versions("portable") lists them.
llvm::Expected<std::unique_ptr<llvm::Module>> joinVersions(llvm::MutableArrayRef<Version> versions);

} // namespace tessera::cpu
