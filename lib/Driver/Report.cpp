//===- Report.cpp - what a compilation had to say, as JSON ----------------===//
#include "tessera/Driver/Report.h"
#include "tessera/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace json = llvm::json;

/// Messages quote the user's text, which may hold any bytes.
static std::string utf8(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static json::Object writeDiagnostic(const Diagnostic &diagnostic) {
  std::string_view kind = diagnostic.kind == DiagnosticKind::Internal
                              ? "internal"
                              : diagnosticKindName(diagnostic.kind);
  json::Object object{{"kind", std::string(kind)}, {"message", utf8(diagnostic.message)}};
  if (!diagnostic.path.empty())
    object["path"] = utf8(diagnostic.path);
  if (diagnostic.range.isValid()) {
    object["line"] = int64_t(diagnostic.range.begin.line);
    object["column"] = int64_t(diagnostic.column);
  }
  if (!diagnostic.code.empty())
    object["code"] = diagnostic.code;
  if (diagnostic.needed) {
    object["needed"] = int64_t(diagnostic.needed);
    object["limit"] = int64_t(diagnostic.limit);
  }
  if (!diagnostic.option.empty())
    object["option"] = diagnostic.option;
  if (diagnostic.parameter)
    object["parameter"] = int64_t(*diagnostic.parameter);
  if (!diagnostic.problem.empty())
    object["problem"] = utf8(diagnostic.problem);
  return object;
}

void tessera::reportError(DiagnosticEngine &diagnostics, std::string path, llvm::Error error) {
  ErrorDetails details = detailsOf(error);
  Diagnostic diagnostic;
  diagnostic.message = llvm::toString(std::move(error));
  diagnostic.path = std::move(path);
  diagnostic.code = std::move(details.code);
  diagnostic.option = std::move(details.option);
  diagnostic.problem = std::move(details.problem);
  diagnostic.parameter = details.parameter;
  diagnostics.report(std::move(diagnostic));
}

std::string tessera::writeReport(const DiagnosticEngine &diagnostics,
                                 llvm::ArrayRef<std::string> questions) {
  json::Array list, open;
  for (const Diagnostic &diagnostic : diagnostics.diagnostics())
    list.push_back(writeDiagnostic(diagnostic));
  for (const std::string &question : questions) {
    llvm::Expected<json::Value> value = json::parse(question);
    if (value)
      open.push_back(std::move(*value));
    else
      llvm::consumeError(value.takeError());
  }
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(json::Object{{"text", utf8(diagnostics.render())},
                                                             {"diagnostics", std::move(list)},
                                                             {"questions", std::move(open)}});
  return text;
}
