//===- DiagnosticBridge.h - MLIR's diagnostics become ours ----------------===//
// Every pass reports through the context; this turns such a report into a
// Diagnostic with the Python line and its excerpt. MLIR knows only errors: the
// prefix of Support/Unsupported.h and the phase decide the kind.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include <functional>

namespace tessera {

/// The place in a file that a location goes back to: through names, call sites
/// (the innermost), and the first of fused ones. Null if there is none.
mlir::FileLineColLoc findPlace(mlir::Location location);

/// Returns the line of a location, and then the lines of the calls through which it was inlined.
/// Functions of the embedded standard library are left out: the user sees the line that calls
/// tl.sum.
llvm::SmallVector<mlir::FileLineColLoc> findUserPlaces(mlir::Location location);

/// Returns whether a path is one of the embedded standard library, whose functions are Python.
bool isStdlib(llvm::StringRef path);

/// The text that shows a line of a file; null if it is not at hand.
using FileFinder = std::function<const SourceFile *(llvm::StringRef path, unsigned line)>;

class DiagnosticBridge {
public:
  /// `file` may be null; it must outlive the bridge.
  DiagnosticBridge(mlir::MLIRContext &context, DiagnosticEngine &diagnostics,
                   const SourceFile *file);
  /// For programs of several files; `path` is named where no line is.
  DiagnosticBridge(mlir::MLIRContext &context, DiagnosticEngine &diagnostics, std::string path,
                   FileFinder finder);
  DiagnosticBridge(const DiagnosticBridge &) = delete;
  ~DiagnosticBridge();

  /// Sets the kind of errors from now on: Error while input is read, Internal while
  /// our own stages run.
  DiagnosticKind kindOfErrors = DiagnosticKind::Error;

private:
  void report(mlir::Diagnostic &diagnostic);
  Diagnostic at(DiagnosticKind kind, mlir::Location location, std::string message) const;
  void add(DiagnosticKind kind, mlir::Location location, std::string message);

  mlir::MLIRContext &context;
  DiagnosticEngine &diagnostics;
  std::string path;
  FileFinder finder;
  mlir::DiagnosticEngine::HandlerID handler;
};

} // namespace tessera
