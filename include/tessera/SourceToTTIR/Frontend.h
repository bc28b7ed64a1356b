//===- Frontend.h - from a Python file to TTIR ----------------------------===//
// Reads a file once, lists its kernels, and translates any of them for any
// signature:
//
//   auto module = SourceModule::load("add.py", diagnostics);
//   auto kernel = module->translate(context, "add_kernel", signature, diagnostics);
//
// Cost: parsing is linear in the file; translation touches only what the kernel
// reaches. Thread-compatible: one SourceModule per thread.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/Kernel/Signature.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/SourceFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera {

struct TranslatedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Begun: the kernel's name, its arguments and the line of its `def`.
  KernelRecord record;
};

class SourceModule {
public:
  /// Reads and parses; reports one error and returns null when either fails.
  static std::unique_ptr<SourceModule> load(const std::string &path, DiagnosticEngine &diagnostics);
  static std::unique_ptr<SourceModule> fromText(const std::string &path, std::string text,
                                                DiagnosticEngine &diagnostics);
  ~SourceModule();

  const SourceFile &file() const;
  /// The jit functions, in the order of the file.
  std::vector<std::string> kernelNames() const;
  /// Those of them that no other one calls.
  std::vector<std::string> entryNames() const;
  /// Why there are none: "the file has no function decorated with @triton.jit", or
  /// where the ones are that cannot be compiled.
  std::string explainNoKernels() const;

  /// Returns true if other modules' files were read: then the file's text alone does not
  /// determine the result.
  bool hasReadOtherFiles() const;
  /// Their paths.
  std::vector<std::string> otherFiles() const;

  /// Null on failure, with the reasons in `diagnostics`. The context must have
  /// the tt, arith, math, scf and ub dialects loaded or loadable.
  std::unique_ptr<TranslatedKernel> translate(mlir::MLIRContext &context,
                                              llvm::StringRef kernelName,
                                              const std::vector<SignatureEntry> &signature,
                                              DiagnosticEngine &diagnostics,
                                              const LanguageTarget &target = {}) const;

private:
  struct State;
  explicit SourceModule(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace tessera
