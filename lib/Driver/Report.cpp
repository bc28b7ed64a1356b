//===- Report.cpp - what a compilation had to say, as JSON ----------------===//
#include "tessera/Driver/Report.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace json = llvm::json;

/// Messages quote the user's text, which may hold any bytes.
static std::string utf8(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static json::Value numberOf(llvm::StringRef text) {
  int64_t number;
  return text.getAsInteger(10, number) ? json::Value(utf8(text)) : json::Value(number);
}

static void addRemark(json::Object &object, const Diagnostic &diagnostic) {
  const RemarkDetails &remark = *diagnostic.remark;
  constexpr llvm::StringLiteral outcomes[] = {"decided", "declined", "noted"};
  object["outcome"] = outcomes[static_cast<unsigned>(remark.outcome)];
  object["pass"] = remark.pass;
  object["name"] = remark.name;
  if (!remark.reason.empty())
    object["reason"] = utf8(remark.reason);
  json::Object numbers;
  for (const auto &[key, value] : remark.numbers)
    numbers[key] = numberOf(value);
  object["numbers"] = std::move(numbers);
  if (!remark.callers.empty()) {
    json::Array callers;
    for (const std::string &caller : remark.callers)
      callers.push_back(utf8(caller));
    object["callers"] = std::move(callers);
  }
  object["text"] = llvm::StringRef(utf8(renderDiagnostic(diagnostic))).rtrim().str();
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
  if (diagnostic.remark)
    addRemark(object, diagnostic);
  return object;
}

std::string tessera::writeDiagnosticLine(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(writeDiagnostic(diagnostic));
  return text;
}

std::string tessera::writeWarnings(const DiagnosticEngine &diagnostics) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Diagnostic &diagnostic : diagnostics.diagnostics()) {
    if (diagnostic.kind != DiagnosticKind::Warning)
      continue;
    json::Object object = writeDiagnostic(diagnostic);
    const SourceExcerpt &excerpt = diagnostic.excerpt;
    object["excerpt"] = utf8(excerpt.text);
    object["mark"] = json::Array{int64_t(excerpt.markColumn), int64_t(excerpt.markWidth)};
    os << json::Value(std::move(object)) << "\n";
  }
  return text;
}

void tessera::readWarnings(llvm::StringRef text, DiagnosticEngine &diagnostics) {
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    llvm::Expected<json::Value> value = json::parse(line);
    const json::Object *object = value ? value->getAsObject() : nullptr;
    if (!value)
      llvm::consumeError(value.takeError());
    const json::Array *mark = object ? object->getArray("mark") : nullptr;
    if (!mark || mark->size() != 2)
      continue;
    Diagnostic diagnostic;
    diagnostic.kind = DiagnosticKind::Warning;
    diagnostic.message = object->getString("message").value_or("").str();
    diagnostic.path = object->getString("path").value_or("").str();
    diagnostic.column = uint32_t(object->getInteger("column").value_or(0));
    SourceLoc begin{uint32_t(object->getInteger("line").value_or(0)),
                    diagnostic.column ? diagnostic.column - 1 : 0};
    diagnostic.range = {begin, begin};
    diagnostic.excerpt.text = object->getString("excerpt").value_or("").str();
    diagnostic.excerpt.markColumn = uint32_t((*mark)[0].getAsInteger().value_or(0));
    diagnostic.excerpt.markWidth = uint32_t((*mark)[1].getAsInteger().value_or(1));
    diagnostics.report(std::move(diagnostic));
  }
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
  // The text becomes the message of an exception; remarks are shown on their own.
  RenderOptions options;
  options.remarks = false;
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"text", utf8(diagnostics.render(options))},
                   {"diagnostics", std::move(list)},
                   {"questions", std::move(open)}});
  return text;
}
