//===- Emitter.h - where IR is put ----------------------------------------===//
// What every part of the translation shares: the builder with the location of the
// code being read, on top of the Reporter that knows this place and reports there,
// and the Budget that ends what would not end.
//===----------------------------------------------------------------------===//
#pragma once

#include "Budget.h"
#include "Reporter.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "Values/Value.h"

namespace tessera {

struct CallArgument;
struct JitFunction;
struct LanguageTarget;

/// Calls of functions written in the language, for builtins that take one
/// (`tl.reduce`) and for methods.
class FunctionCaller {
public:
  virtual ~FunctionCaller() = default;
  /// Emits the call at the builder's position, or its error.
  virtual llvm::FailureOr<Value> call(const Value &callee,
                                      llvm::ArrayRef<CallArgument> arguments) = 0;
  /// A promise about a value that has no operation of its own to carry it: the argument of
  /// a block or a function, one of several results, the result of a branch, loop or call.
  virtual void promise(mlir::Value value, llvm::StringRef name, mlir::Attribute promise) {}
};

/// The standard library, and the modules beside the kernel's (Modules/ModuleLoader.h).
class ModuleLibrary {
public:
  virtual ~ModuleLibrary() = default;
  /// A function of triton.language that is written in the language: tl.sum. Names
  /// that start with '_' belong to tl.standard and tl.random only.
  virtual std::optional<Value> languageFunction(llvm::StringRef name) = 0;
  /// The same, as a method of tensors: x.sum(axis).
  virtual const JitFunction *languageMethod(llvm::StringRef name) = 0;
  /// An attribute of a module, for compile-time code; nothing if the module has none.
  virtual std::optional<Value> member(const ModuleObject &module, llvm::StringRef name) = 0;
  /// Returns true if names come from live objects, so that Python can run what fails here.
  virtual bool isLive() const = 0;
};

class Emitter : public Reporter {
public:
  Emitter(mlir::MLIRContext *context, DiagnosticEngine &diagnostics)
      : Reporter(diagnostics), builder(context), budget(*this) {}

  mlir::OpBuilder builder;
  Budget budget;
  /// The name being assigned, under which the value prints.
  llvm::StringRef resultName = {};
  FunctionCaller *functions = nullptr;
  /// The target's and the options' parameters of the language; never null in a kernel.
  const LanguageTarget *target = nullptr;
  ModuleLibrary *modules = nullptr;

  mlir::MLIRContext *context() { return builder.getContext(); }
  /// file:line:column of the current range, under the name being assigned.
  mlir::Location location();
  /// The same without the name, for constants that are part of an assigned expression.
  mlir::Location constantLocation();
};

} // namespace tessera
