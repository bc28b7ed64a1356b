//===- SourceTesting.h - parsing text in tests ----------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/Dump.h"
#include <string>

namespace tessera {

/// A module that is expected to parse, with the file it came from.
struct Parsed {
  DiagnosticEngine diagnostics;
  std::unique_ptr<SourceFile> file;
  std::unique_ptr<ast::Module> module;

  explicit Parsed(std::string text) {
    file = SourceFile::fromBytes("t.py", std::move(text), diagnostics);
    if (file)
      module = parseModule(*file, diagnostics);
  }
};

/// "ok", or "LINE:COLUMN: message".
inline std::string check(std::string text) {
  Parsed parsed(std::move(text));
  if (parsed.module)
    return parsed.diagnostics.diagnostics().empty() ? "ok" : "ok, with diagnostics";
  if (parsed.diagnostics.diagnostics().size() != 1)
    return "not exactly one error";
  const Diagnostic &error = parsed.diagnostics.diagnostics()[0];
  return std::to_string(error.range.begin.line) + ":" + std::to_string(error.column) + ": " +
         error.message;
}

/// The tree of the first statement, as ast.dump prints it; or the error.
inline std::string tree(std::string text) {
  Parsed parsed(text);
  if (!parsed.module)
    return check(std::move(text));
  return parsed.module->body.empty() ? "" : dump(*parsed.module->body[0]);
}

} // namespace tessera
