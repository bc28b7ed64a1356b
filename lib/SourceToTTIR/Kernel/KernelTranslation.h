//===- KernelTranslation.h - one kernel, from its function to TTIR --------===//
// What a file's kernels and those of programs with live objects have in common.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/SourceToTTIR/Frontend.h"
#include "../Modules/ModuleLoader.h"

namespace tessera {

struct KernelTranslation {
  mlir::MLIRContext &context;
  const JitFunction &kernel;
  ModuleLoader &loader;
  DiagnosticEngine &diagnostics;
  const LanguageTarget &target;
};

/// Null on failure, with the reasons in `diagnostics`. The kernel is called `symbol`; if
/// that is empty, what its decorator says.
std::unique_ptr<TranslatedKernel> translateKernel(const KernelTranslation &translation,
                                                  const std::vector<SignatureEntry> &signature,
                                                  llvm::StringRef symbol);

} // namespace tessera
