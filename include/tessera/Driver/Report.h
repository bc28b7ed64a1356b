//===- Report.h - what a compilation had to say, as JSON ------------------===//
// The report of docs/program.md: the text that the command line prints, each
// diagnostic with its place, and the questions that a program leaves open.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera {

/// `questions` are JSON objects, as Session::compile gives them.
std::string writeReport(const DiagnosticEngine &diagnostics,
                        llvm::ArrayRef<std::string> questions = {});

/// One diagnostic as a JSON object without line breaks.
std::string writeDiagnosticLine(const Diagnostic &diagnostic);

/// The warnings among the diagnostics, one JSON object per line, and back: the cache keeps them
/// with a kernel. A line that cannot be read is skipped.
std::string writeWarnings(const DiagnosticEngine &diagnostics);
void readWarnings(llvm::StringRef text, DiagnosticEngine &diagnostics);

/// Adds an error to the diagnostics; the fields of a DetailedError become the diagnostic's.
void reportError(DiagnosticEngine &diagnostics, std::string path, llvm::Error error);

} // namespace tessera
