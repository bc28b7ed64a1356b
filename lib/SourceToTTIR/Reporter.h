//===- Reporter.h - errors, warnings and notes at places of the source ----===//
// Knows the file and the range that are being read, and reports there. Errors
// inside the standard library belong to the call that led into it.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

namespace tessera {

class Reporter {
public:
  explicit Reporter(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}
  Reporter(const Reporter &) = delete;

  DiagnosticEngine &diagnostics;
  const SourceFile *file = nullptr;
  SourceRange range = {};
  /// While the standard library is read: the call that led there. Errors belong to it.
  struct LibraryCall {
    const SourceFile *file = nullptr;
    SourceRange range = {};
    llvm::StringRef name = {};
  } library = {};

  /// Reports at the current range; returns failure for `return emit.error(...)`.
  llvm::LogicalResult error(const llvm::Twine &message);
  llvm::LogicalResult errorAt(SourceRange where, const llvm::Twine &message);
  /// Reports an error that Python would raise too; compile-time code may catch it by its class.
  llvm::LogicalResult raise(llvm::StringRef exception, const llvm::Twine &message);
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

  /// How many errors there are; a limit keeps the list readable.
  size_t errorCount() const { return errors; }
  bool hasManyErrors() const { return errors >= kMaxErrors; }
  static constexpr size_t kMaxErrors = 20;

  /// Compile-time code that catches what went wrong (`try`) forgets the errors since the mark.
  struct Mark {
    size_t diagnostics, errors;
  };
  Mark mark() const { return {diagnostics.diagnostics().size(), errors}; }
  void rollBack(Mark mark) {
    diagnostics.rollBack(mark.diagnostics);
    errors = mark.errors;
  }
  /// The class of the exception that compile-time code raised; empty for other errors.
  std::string raised = {};

private:
  size_t errors = 0;
};

/// Points the reporter at a node while in scope.
class RangeScope {
public:
  RangeScope(Reporter &reporter, SourceRange range) : reporter(reporter), previous(reporter.range) {
    reporter.range = range;
  }
  ~RangeScope() { reporter.range = previous; }

private:
  Reporter &reporter;
  SourceRange previous;
};

} // namespace tessera
