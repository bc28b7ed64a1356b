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

/// One parameter of a kernel as compiled, in the order of the Python function; of a tuple
/// or a descriptor, one part of it.
struct TranslatedParameter {
  std::string name; // "x", "t.0", "d.base"
  std::string type; // "*fp32", "i32"; "constexpr" for a constant without a type
  unsigned divisibility = 1;
  bool isConstant = false;
  std::string constant = {};   // as a Python literal: "64", "1.5", "True", "None"
  std::string descriptor = {}; // "tensordesc<fp16[64, 32]>" of the first part of one
};

struct TranslatedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string name;
  unsigned line = 0; // of its `def`
  std::vector<TranslatedParameter> parameters;
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
  /// Why there are none: "the file has no function decorated with @triton.jit", or
  /// where the ones are that cannot be compiled.
  std::string explainNoKernels() const;

  /// Whether modules beside the file were read: its text alone does not decide the result.
  bool hasReadOtherFiles() const;

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
