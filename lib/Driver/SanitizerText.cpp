//===- SanitizerText.cpp - a sanitizer's reports as text ------------------===//
// See SanitizerText.h.
//===----------------------------------------------------------------------===//
#include "tessera/Driver/SanitizerText.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace tessera;

/// More places than these are only listed: the first ones matter.
static constexpr size_t kShownPlaces = 10;

/// Returns the end of the call that begins at `begin`, if it is on the same line.
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
class ReportRenderer {
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

  std::string render(const RenderOptions &options) const { return diagnostics.render(options); }

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

std::string tessera::renderReports(llvm::ArrayRef<SanitizerReport> reports,
                                   const RenderOptions &options) {
  ReportRenderer renderer;
  for (const SanitizerReport &report : reports.take_front(kShownPlaces)) {
    renderer.add(DiagnosticKind::Error, report.place, report.message);
    for (const SanitizerNote &note : report.notes)
      renderer.add(DiagnosticKind::Note, note.place, note.text);
  }
  for (const SanitizerReport &report : reports.drop_front(std::min(reports.size(), kShownPlaces)))
    renderer.add(DiagnosticKind::Note, report.place, "and here: " + report.message);
  return renderer.render(options);
}
