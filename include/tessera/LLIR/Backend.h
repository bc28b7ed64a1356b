//===- Backend.h - asking LLVM for code without risking the process -------===//
// LLVM reports back-end errors to its context, and a context without a handler
// prints them and exits. Every use of the code generator goes through here.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <string>

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace tessera {

/// LLVM's back end for `triple`, which `add` registers if nobody has yet; null with an `error` if
/// it does not. LLVM's registry is one for the process and stands neither a second addition nor a
/// search beside an addition, so all of them happen here, one after the other.
const llvm::Target *findBackend(const llvm::Triple &triple, llvm::function_ref<void()> add,
                                std::string &error);

/// Collects the errors LLVM reports to `context` for as long as it lives.
///
///   BackendErrors errors(context);
///   ... run passes ...
///   if (llvm::Error error = errors.take()) ...
class BackendErrors {
public:
  explicit BackendErrors(llvm::LLVMContext &context);
  ~BackendErrors();
  BackendErrors(const BackendErrors &) = delete;
  BackendErrors &operator=(const BackendErrors &) = delete;

  /// All that was reported, joined by newlines; success when nothing was.
  llvm::Error take();

private:
  llvm::LLVMContext &context;
  llvm::SmallVector<std::string> messages;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
};

/// Runs the passes that `build` adds, with every analysis they may ask for.
llvm::Error
runPasses(llvm::Module &module, llvm::TargetMachine &machine,
          llvm::function_ref<void(llvm::ModulePassManager &, llvm::PassBuilder &)> build);

/// Runs the code generator, but for the passes named in `skip` (as `opt` and `llc` call
/// them, "loop-reduce") and analyses that only they need. `module` is consumed in spirit: its IR is
/// no longer fit for printing afterwards.
llvm::Expected<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                                         llvm::CodeGenFileType kind,
                                         llvm::ArrayRef<llvm::StringRef> skip = {});

} // namespace tessera
