//===- Emitter.h - where IR is put, and where errors point ----------------===//
// The one object every part of the translation shares: the builder, the source
// range being translated (locations and carets come from it), the name being
// assigned (it prints as the SSA value's name), and the diagnostics.
//===----------------------------------------------------------------------===//
#pragma once

#include "Value.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/SourceFile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

namespace tessera {

struct CallArgument;
struct LanguageTarget;
class ModuleLoader;

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

/// What all code that is read for one purpose may use up together.
struct EmitterLimits {
  unsigned statements = 0;
  unsigned calls = 0; // of functions that run at compile time, one inside the other
  unsigned insertions = 0;
  bool areExceeded = false; // something was too much, by these or any other limit
  const char *stackBase = static_cast<const char *>(__builtin_frame_address(0));
};

class Emitter {
public:
  Emitter(mlir::MLIRContext *context, DiagnosticEngine &diagnostics)
      : builder(context), diagnostics(diagnostics) {}

  mlir::OpBuilder builder;
  DiagnosticEngine &diagnostics;
  const SourceFile *file = nullptr;
  SourceRange range = {};
  llvm::StringRef resultName = {};
  /// While the standard library is read: the call that led there. Errors belong to it.
  struct LibraryCall {
    const SourceFile *file = nullptr;
    SourceRange range = {};
    llvm::StringRef name = {};
  } library = {};
  FunctionCaller *functions = nullptr;
  /// What the target and the options fix for the language; never null in a kernel.
  const LanguageTarget *target = nullptr;
  /// The standard library, and the modules beside the kernel's.
  ModuleLoader *modules = nullptr;

  mlir::MLIRContext *context() { return builder.getContext(); }
  /// file:line:column of the current range, under the name being assigned.
  mlir::Location location();
  /// Without the name: a constant is not what is being assigned.
  mlir::Location constantLocation();
  /// Reports at the current range; returns failure for `return emit.error(...)`.
  llvm::LogicalResult error(const llvm::Twine &message);
  llvm::LogicalResult errorAt(SourceRange where, const llvm::Twine &message);
  /// What Python would raise too: host code may catch it by its class.
  llvm::LogicalResult raise(llvm::StringRef exception, const llvm::Twine &message);
  /// Something is more than the compiler computes with: nobody else is asked to.
  llvm::LogicalResult limitError(const llvm::Twine &message);
  /// Whether there was such an error since somebody last cleared it.
  bool hasExceededLimits() const { return limits->areExceeded; }
  void forgetLimits() { limits->areExceeded = false; }
  /// The construct is fine Python and maybe fine Triton; Tessera has no translation for it.
  llvm::LogicalResult unsupportedAt(SourceRange where, const llvm::Twine &message);
  /// An error of another file, as it was found there.
  void reportElsewhere(const Diagnostic &diagnostic);
  /// Warns of a place once, however often it is read; never of one inside the library.
  void warnAt(SourceRange where, const llvm::Twine &message);
  /// Adds to the last error: where a value came from, which call led here.
  void noteAt(SourceRange where, const llvm::Twine &message);
  /// The same for the call of a function; one call that repeats itself is noted once.
  void noteCall(llvm::StringRef function);

  /// Fails, with an error, when the kernel's nesting has used up the stack.
  llvm::LogicalResult checkDepth();
  /// Counts a statement; fails, with an error, when unrolled or compile-time loops
  /// have executed more of them than any sensible kernel does. What takes as long as
  /// several statements counts as several.
  llvm::LogicalResult countStatement(unsigned cost = 1);
  /// Whether countStatement() has failed: nothing may go on then.
  bool hasRunOut() const { return limits->statements > kMaxStatements; }
  /// Enters a call that runs at compile time; fails, with an error, when there are too
  /// many inside each other.
  llvm::LogicalResult enterCall();
  void leaveCall() { --limits->calls; }
  /// Counts from now on together with others; `shared` outlives the emitter.
  void shareLimits(EmitterLimits &shared) { limits = &shared; }
  /// Counts a container that host code put into another one: each may lie in the one
  /// before, and what nests without end cannot be walked or freed.
  llvm::LogicalResult countInsertion();
  /// How many errors there are; a limit keeps the list readable.
  size_t errorCount() const { return errors; }
  bool hasManyErrors() const { return errors >= kMaxErrors; }

  Tensor tensor(mlir::Value handle, KernelType type) { return Tensor{handle, std::move(type)}; }

  static constexpr size_t kMaxErrors = 20;
#ifdef TESSERA_FUZZ // smaller, to try more programs
  static constexpr unsigned kMaxStatements = 20'000;
#else
  static constexpr unsigned kMaxStatements = 500'000;
#endif
  static constexpr unsigned kMaxCalls = 400;
  static constexpr unsigned kMaxInsertions = 10'000;
  static constexpr size_t kMaxStackBytes = 3u << 20; // of the usual 8 MiB

  /// Host code that catches what went wrong (`try`): forgets the errors since the mark.
  struct Mark {
    size_t diagnostics, errors;
  };
  Mark mark() const { return {diagnostics.diagnostics().size(), errors}; }
  void rollBack(Mark mark) {
    diagnostics.rollBack(mark.diagnostics);
    errors = mark.errors;
  }
  /// The class of the exception that host code raised; empty for other errors.
  std::string raised = {};

private:
  size_t errors = 0;
  EmitterLimits ownLimits;
  EmitterLimits *limits = &ownLimits;
};

/// Points the emitter at a node while in scope.
class RangeScope {
public:
  RangeScope(Emitter &emitter, SourceRange range) : emitter(emitter), previous(emitter.range) {
    emitter.range = range;
  }
  ~RangeScope() { emitter.range = previous; }

private:
  Emitter &emitter;
  SourceRange previous;
};

} // namespace tessera
