//===- Backend.h - run LLVM's code generator without risking the process -===//
// LLVM reports back-end errors to its context, and a context without a handler prints them and
// exits the process. All uses of the code generator go through this file.
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
#include <functional>
#include <string>

namespace llvm {
class Pass;
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace tessera {

/// Returns LLVM's back end for `triple`, which `add` registers if it is not registered yet; null
/// with an `error` if there is none. LLVM's registry is global to the process and not thread-safe,
/// so all registrations and lookups happen here, under a lock.
const llvm::Target *findBackend(const llvm::Triple &triple, llvm::function_ref<void()> add,
                                std::string &error);

/// Gets what LLVM counts for a kernel, such as ("ScratchSize", "16"): its resource-usage remarks.
using OnResourceUsage = std::function<void(llvm::StringRef name, llvm::StringRef value)>;

/// Collects the errors LLVM reports to `context` for as long as it lives.
///
///   BackendErrors errors(context);
///   ... run passes ...
///   if (llvm::Error error = errors.take()) ...
class BackendErrors {
public:
  explicit BackendErrors(llvm::LLVMContext &context, OnResourceUsage onUsage = {});
  ~BackendErrors();
  BackendErrors(const BackendErrors &) = delete;
  BackendErrors &operator=(const BackendErrors &) = delete;

  /// Returns all reported errors, joined by newlines; success if there was none.
  llvm::Error take();

private:
  llvm::LLVMContext &context;
  llvm::SmallVector<std::string> messages;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
};

/// Adds listeners to a pass manager, for timing and dumps; empty for none.
using InstrumentLLVM = std::function<void(llvm::PassInstrumentationCallbacks &)>;

/// Runs the passes that `build` adds, with all analyses registered.
llvm::Error
runPasses(llvm::Module &module, llvm::TargetMachine &machine,
          llvm::function_ref<void(llvm::ModulePassManager &, llvm::PassBuilder &)> build,
          const InstrumentLLVM &instrument = {});

using PassAfter = llvm::function_ref<llvm::Pass *(llvm::StringRef name)>;

/// Passes that the code generator leaves out, by the name of `opt` and `llc`, such as
/// "loop-reduce".
struct SkippedPass {
  SkippedPass(llvm::StringRef name, bool onlyFirst = false) : name(name), onlyFirst(onlyFirst) {}
  SkippedPass(const char *name) : name(name) {}

  llvm::StringRef name;
  bool onlyFirst = false; // a later pass of this name runs
};

/// Runs the code generator, except the passes in `skip` and analyses that only they need.
/// `passAfter` is called with the name of each pass and returns one that runs behind it, or null.
/// The module's IR is changed, and must not be printed afterwards.
llvm::Expected<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine,
                                         llvm::CodeGenFileType kind,
                                         llvm::ArrayRef<SkippedPass> skip = {},
                                         PassAfter passAfter = {},
                                         const OnResourceUsage &onUsage = {});

} // namespace tessera
