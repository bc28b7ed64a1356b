//===- Reporter.cpp - errors, warnings and notes at places of the source --===//
#include "Reporter.h"

using namespace tessera;

llvm::LogicalResult Reporter::errorAt(SourceRange where, const llvm::Twine &message) {
  ++errors;
  if (library.file)
    diagnostics.error(*library.file, library.range, ("tl." + library.name + ": " + message).str());
  else
    diagnostics.error(*file, where, message.str());
  return llvm::failure();
}

llvm::LogicalResult Reporter::error(const llvm::Twine &message) { return errorAt(range, message); }

llvm::LogicalResult Reporter::raise(llvm::StringRef exception, const llvm::Twine &message) {
  raised = exception;
  return error(message);
}

llvm::LogicalResult Reporter::unsupportedAt(SourceRange where, const llvm::Twine &message) {
  ++errors;
  diagnostics.unsupported(library.file ? *library.file : *file,
                          library.file ? library.range : where, message.str());
  return llvm::failure();
}

void Reporter::reportElsewhere(const Diagnostic &diagnostic) {
  ++errors;
  diagnostics.report(diagnostic);
}

void Reporter::warnAt(SourceRange where, const llvm::Twine &message) {
  std::string text = message.str();
  for (const Diagnostic &other : diagnostics.diagnostics())
    if (other.kind == DiagnosticKind::Warning && other.range == where && other.message == text)
      return;
  if (!library.file)
    diagnostics.warning(*file, where, text);
}

void Reporter::noteAt(SourceRange where, const llvm::Twine &message) {
  if (!library.file) // places inside the library say nothing to its users
    diagnostics.report(DiagnosticKind::Note, *file, where, message.str());
}

void Reporter::noteCall(llvm::StringRef function) {
  std::string message = ("in the call of '" + function + "' here").str();
  if (!diagnostics.diagnostics().empty()) {
    const Diagnostic &last = diagnostics.diagnostics().back();
    if (last.kind == DiagnosticKind::Note && last.message == message && last.range == range)
      return;
  }
  noteAt(range, message);
}
