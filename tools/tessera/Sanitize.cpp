//===- Sanitize.cpp - tessera run --sanitize ------------------------------===//
// See Sanitize.h.
//===----------------------------------------------------------------------===//
#include "Sanitize.h"
#include "Edge.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace tessera;
using namespace tessera::cli;

/// More places than these are only counted: the first ones matter.
static constexpr size_t kShownPlaces = 10;

std::unique_ptr<Sanitizer> cli::watchArguments(llvm::ArrayRef<HostArgument> arguments) {
  std::vector<SanitizedArgument> watched;
  for (const HostArgument &argument : arguments) {
    SanitizedArgument entry;
    entry.name = argument.name;
    entry.type = elementTypeName(argument.type.element).str();
    entry.isPointer = argument.type.isPointer;
    entry.elementBytes = elementBytes(argument.type.element);
    if (entry.isPointer) {
      entry.address = reinterpret_cast<uint64_t>(argument.array.buffer.data());
      entry.bytes = argument.array.bytes();
      entry.shape.assign(argument.array.shape.begin(), argument.array.shape.end());
      entry.isInitialized = argument.isInitialized;
    }
    watched.push_back(std::move(entry));
  }
  return std::make_unique<Sanitizer>(std::move(watched));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Where the call that begins at `begin` ends, if it does on its line.
static uint32_t endOfCall(std::string_view line, uint32_t begin) {
  uint32_t at = begin;
  while (at < line.size() && (llvm::isAlnum(line[at]) || line[at] == '_' || line[at] == '.'))
    ++at;
  if (at == begin || at >= line.size() || line[at] != '(')
    return begin;
  int depth = 0;
  for (; at < line.size(); ++at) {
    depth += line[at] == '(' || line[at] == '[';
    depth -= line[at] == ')' || line[at] == ']';
    if (depth == 0)
      return at + 1;
  }
  return begin;
}

namespace {
/// Turns places into diagnostics, with the lines of the files they are in.
class ReportPrinter {
public:
  void add(DiagnosticKind kind, const SourcePlace &place, const std::string &text) {
    if (!place.isKnown()) {
      diagnostics.report(kind, "", text);
      return;
    }
    SourceLoc begin{place.line, place.column ? place.column - 1 : 0};
    if (const SourceFile *file = find(place.path)) {
      SourceLoc end{place.line, endOfCall(file->line(place.line), begin.column)};
      diagnostics.report(kind, *file, {begin, end}, text);
      return;
    }
    Diagnostic diagnostic;
    diagnostic.kind = kind;
    diagnostic.message = text;
    diagnostic.path = place.path;
    diagnostic.range = {begin, begin};
    diagnostic.column = begin.column + 1;
    diagnostics.report(std::move(diagnostic));
  }

  void print() {
    RenderOptions options;
    options.color = !palette(stderr).reset.empty();
    options.noteExcerpts = true;
    std::fputs(diagnostics.render(options).c_str(), stderr);
  }

private:
  /// Null for what is no file any more, or never was.
  const SourceFile *find(const std::string &path) {
    auto [place, isNew] = files.try_emplace(path);
    DiagnosticEngine unused;
    if (isNew)
      place->second = SourceFile::load(path, unused);
    return place->second.get();
  }

  DiagnosticEngine diagnostics;
  std::map<std::string, std::unique_ptr<SourceFile>> files;
};
} // namespace

llvm::Error cli::printReports(const Sanitizer &sanitizer, llvm::StringRef kernelName) {
  std::vector<SanitizerReport> reports = sanitizer.reports();
  if (reports.empty())
    return llvm::Error::success();
  llvm::outs().flush(); // what went before comes first
  ReportPrinter printer;
  for (const SanitizerReport &report : llvm::ArrayRef(reports).take_front(kShownPlaces)) {
    printer.add(DiagnosticKind::Error, report.place, report.message);
    for (const SanitizerNote &note : report.notes)
      printer.add(DiagnosticKind::Note, note.place, note.text);
  }
  for (const SanitizerReport &report :
       llvm::ArrayRef(reports).drop_front(std::min(reports.size(), kShownPlaces)))
    printer.add(DiagnosticKind::Note, report.place, "and here: " + report.message);
  printer.print();
  size_t count = reports.size();
  return makeError("--sanitize found " + llvm::Twine(count) +
                   (count == 1 ? " mistake in '" : " mistakes in '") + kernelName + "'");
}
