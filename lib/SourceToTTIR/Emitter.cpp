//===- Emitter.cpp - where IR is put, and where errors point --------------===//
#include "Emitter.h"
#include "mlir/IR/Location.h"

using namespace tessera;

mlir::Location Emitter::constantLocation() {
  // MLIR columns count from one; Python's from zero.
  return mlir::FileLineColLoc::get(context(), file->path(), range.begin.line,
                                   range.begin.column + 1);
}

mlir::Location Emitter::location() {
  if (resultName.empty())
    return constantLocation();
  return mlir::NameLoc::get(mlir::StringAttr::get(context(), resultName), constantLocation());
}

llvm::LogicalResult Emitter::errorAt(SourceRange where, const llvm::Twine &message) {
  ++errors;
  if (library.file)
    diagnostics.error(*library.file, library.range, ("tl." + library.name + ": " + message).str());
  else
    diagnostics.error(*file, where, message.str());
  return llvm::failure();
}

llvm::LogicalResult Emitter::error(const llvm::Twine &message) { return errorAt(range, message); }

llvm::LogicalResult Emitter::raise(llvm::StringRef exception, const llvm::Twine &message) {
  raised = exception;
  return error(message);
}

llvm::LogicalResult Emitter::limitError(const llvm::Twine &message) {
  limits->areExceeded = true;
  return error(message);
}

llvm::LogicalResult Emitter::unsupportedAt(SourceRange where, const llvm::Twine &message) {
  ++errors;
  diagnostics.unsupported(library.file ? *library.file : *file,
                          library.file ? library.range : where, message.str());
  return llvm::failure();
}

void Emitter::reportElsewhere(const Diagnostic &diagnostic) {
  ++errors;
  diagnostics.report(diagnostic);
}

void Emitter::warnAt(SourceRange where, const llvm::Twine &message) {
  std::string text = message.str();
  for (const Diagnostic &other : diagnostics.diagnostics())
    if (other.kind == DiagnosticKind::Warning && other.range == where && other.message == text)
      return;
  if (!library.file)
    diagnostics.warning(*file, where, text);
}

void Emitter::noteAt(SourceRange where, const llvm::Twine &message) {
  if (!library.file) // places inside the library say nothing to its users
    diagnostics.report(DiagnosticKind::Note, *file, where, message.str());
}

void Emitter::noteCall(llvm::StringRef function) {
  std::string message = ("in the call of '" + function + "' here").str();
  if (!diagnostics.diagnostics().empty()) {
    const Diagnostic &last = diagnostics.diagnostics().back();
    if (last.kind == DiagnosticKind::Note && last.message == message && last.range == range)
      return;
  }
  noteAt(range, message);
}

llvm::LogicalResult Emitter::checkDepth() {
  // Stacks grow downwards on every machine that Tessera runs on.
  auto *here = static_cast<const char *>(__builtin_frame_address(0));
  if (size_t(limits->stackBase - here) < kMaxStackBytes)
    return llvm::success();
  return limitError(
      "this is nested too deeply: calls within calls, or expressions within expressions");
}

llvm::LogicalResult Emitter::enterCall() {
  if (limits->calls >= kMaxCalls)
    return limitError("this is nested too deeply: more than " + llvm::Twine(kMaxCalls) +
                      " calls within calls at compile time");
  ++limits->calls;
  return llvm::success();
}

llvm::LogicalResult Emitter::countStatement(unsigned cost) {
  bool hadRunOut = hasRunOut();
  limits->statements = std::min<uint64_t>(uint64_t(limits->statements) + cost, UINT32_MAX);
  if (!hasRunOut())
    return llvm::success();
  if (!hadRunOut)
    return limitError("this takes more than " + llvm::Twine(kMaxStatements) +
                      " statements at compile time; loop at run time, over range or tl.range");
  return llvm::failure();
}

llvm::LogicalResult Emitter::countInsertion() {
  if (++limits->insertions <= kMaxInsertions)
    return llvm::success();
  return limitError("more than " + llvm::Twine(kMaxInsertions) + " containers put into others");
}
