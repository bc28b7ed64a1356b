//===- Diagnostics.cpp - rendering ----------------------------------------===//
// The excerpt is what a terminal shows: tabs become spaces, control characters
// become '?', wide characters count two columns, and of a long line only the
// part around the mark is kept. So the caret stands where the eye expects it.
//===----------------------------------------------------------------------===//
#include "tessera/Source/Diagnostics.h"
#include "Unicode.h"
#include "tessera/Source/Printable.h"
#include <algorithm>

namespace tessera {

std::string_view diagnosticKindName(DiagnosticKind kind) {
  switch (kind) {
  case DiagnosticKind::Error:
    return "error";
  case DiagnosticKind::Unsupported:
    return "unsupported";
  case DiagnosticKind::Internal:
    return "internal error";
  case DiagnosticKind::Warning:
    return "warning";
  case DiagnosticKind::Output:
    return "output";
  case DiagnosticKind::Note:
    return "note";
  }
  return "error";
}

//===----------------------------------------------------------------------===//
// Excerpts
//===----------------------------------------------------------------------===//

static constexpr uint32_t kTabStop = 8;

/// A long line is cut to a window of bytes around the mark before anything
/// else, so that a line of megabytes costs no more than a short one.
static std::string_view cutWindow(std::string_view line, uint32_t mark, uint32_t &windowBegin) {
  constexpr uint32_t kBefore = kMaxExcerptColumns / 2, kAfter = kMaxExcerptColumns / 2 + 40;
  windowBegin = 0;
  if (line.size() <= kMaxExcerptColumns)
    return line;
  auto isInside = [&](size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80;
  };
  size_t begin = mark > kBefore ? mark - kBefore : 0;
  while (begin > 0 && isInside(begin))
    --begin;
  size_t end = std::min<size_t>(line.size(), std::max<size_t>(mark, begin) + kAfter);
  while (isInside(end))
    ++end;
  windowBegin = static_cast<uint32_t>(begin);
  return line.substr(begin, end - begin);
}

SourceExcerpt makeExcerpt(const SourceFile &file, SourceRange range) {
  SourceExcerpt excerpt;
  if (!range.isValid() || range.begin.line > file.lineCount())
    return excerpt;
  std::string_view line = file.line(range.begin.line);
  uint32_t markBegin = std::min<uint32_t>(range.begin.column, line.size());
  uint32_t markEnd = range.end.line == range.begin.line ? range.end.column : line.size();
  markEnd = std::min<uint32_t>(std::max(markEnd, markBegin), line.size());

  uint32_t windowBegin;
  std::string_view window = cutWindow(line, markBegin, windowBegin);
  bool cutLeft = windowBegin > 0;
  bool cutRight = windowBegin + window.size() < line.size();
  uint32_t column = 0, markColumnEnd = 0;
  auto put = [&](std::string_view text, uint32_t width) {
    excerpt.text += text;
    column += width;
  };
  if (cutLeft)
    put("...", 3);
  for (uint32_t at = 0; at <= window.size();) {
    if (windowBegin + at <= markBegin)
      excerpt.markColumn = column;
    if (windowBegin + at <= markEnd)
      markColumnEnd = column;
    if (at == window.size())
      break;
    uint32_t begin = at;
    char32_t c = decodeUtf8(window, at);
    if (c == '\t') {
      uint32_t width = kTabStop - column % kTabStop;
      put(std::string(width, ' '), width);
    } else if (!isPrintable(c)) {
      put("?", 1);
    } else {
      put(window.substr(begin, at - begin), displayWidth(c));
    }
  }
  if (cutRight)
    put("...", 3);
  excerpt.markWidth = std::max<uint32_t>(1, markColumnEnd - excerpt.markColumn);
  if (excerpt.text.empty())
    excerpt.text = " "; // an empty line is shown as one
  return excerpt;
}

//===----------------------------------------------------------------------===//
// Rendering
//===----------------------------------------------------------------------===//

static const char *colorOf(DiagnosticKind kind) {
  switch (kind) {
  case DiagnosticKind::Error:
    return "\033[1;31m";
  case DiagnosticKind::Unsupported:
    return "\033[1;33m";
  case DiagnosticKind::Internal:
  case DiagnosticKind::Warning:
    return "\033[1;35m";
  case DiagnosticKind::Note:
    return "\033[1;36m";
  case DiagnosticKind::Output:
    return "";
  }
  return "";
}

std::string escapeUnprintable(std::string_view text) {
  std::string out;
  auto escape = [&](char c) {
    constexpr char digits[] = "0123456789abcdef";
    auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  };
  while (!text.empty()) {
    std::optional<Utf8Error> problem = checkUtf8(text);
    std::string_view valid = text.substr(0, problem ? problem->offset : text.size());
    for (char c : valid)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        escape(c);
      else
        out += c;
    if (problem)
      escape(text[problem->offset]);
    text.remove_prefix(valid.size() + (problem ? 1 : 0));
  }
  return out;
}

std::string renderDiagnostic(const Diagnostic &diagnostic, const RenderOptions &options) {
  const char *bold = options.color ? "\033[1m" : "";
  const char *reset = options.color ? "\033[0m" : "";
  const char *accent = options.color ? colorOf(diagnostic.kind) : "";
  if (diagnostic.kind == DiagnosticKind::Output)
    return diagnostic.message;
  std::string out;
  if (!diagnostic.path.empty()) {
    out += bold + escapeUnprintable(diagnostic.path);
    if (diagnostic.range.isValid())
      out += ":" + std::to_string(diagnostic.range.begin.line) + ":" +
             std::to_string(diagnostic.column);
    out += ": ";
    out += reset;
  }
  out += accent;
  out += diagnosticKindName(diagnostic.kind);
  out += ": ";
  out += reset;
  out += bold + escapeUnprintable(diagnostic.message) + reset + "\n";
  bool isNote = diagnostic.kind == DiagnosticKind::Note;
  if (diagnostic.excerpt.text.empty() || !(isNote ? options.noteExcerpts : options.excerpts))
    return out;
  const SourceExcerpt &excerpt = diagnostic.excerpt;
  std::string_view text = excerpt.text;
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  out += std::string(text) + "\n" + std::string(excerpt.markColumn, ' ') + accent + "^" +
         std::string(excerpt.markWidth - 1, '~') + reset + "\n";
  return out;
}

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

DiagnosticEngine::Reported DiagnosticEngine::report(Diagnostic diagnostic) {
  collected.push_back(std::move(diagnostic));
  return Reported(*this);
}

DiagnosticEngine::Reported DiagnosticEngine::report(DiagnosticKind kind, const SourceFile &file,
                                                    SourceRange range, std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  diagnostic.path = file.path();
  diagnostic.range = range;
  if (range.isValid())
    diagnostic.column = file.displayColumn(range.begin);
  diagnostic.excerpt = makeExcerpt(file, range);
  return report(std::move(diagnostic));
}

DiagnosticEngine::Reported DiagnosticEngine::report(DiagnosticKind kind, std::string path,
                                                    std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  diagnostic.path = std::move(path);
  return report(std::move(diagnostic));
}

const DiagnosticEngine::Reported &DiagnosticEngine::Reported::note(const SourceFile &file,
                                                                   SourceRange range,
                                                                   std::string message) const {
  engine.report(DiagnosticKind::Note, file, range, std::move(message));
  return *this;
}

const DiagnosticEngine::Reported &DiagnosticEngine::Reported::note(std::string message) const {
  engine.report(DiagnosticKind::Note, std::string(), std::move(message));
  return *this;
}

static bool stopsCompilation(DiagnosticKind kind) {
  return kind == DiagnosticKind::Error || kind == DiagnosticKind::Unsupported ||
         kind == DiagnosticKind::Internal;
}

bool DiagnosticEngine::hasErrors() const {
  return std::any_of(collected.begin(), collected.end(),
                     [](const Diagnostic &d) { return stopsCompilation(d.kind); });
}

void DiagnosticEngine::warning(const SourceFile &file, SourceRange range, std::string message) {
  auto isKnown = [&](const Diagnostic &d) {
    return d.kind == DiagnosticKind::Warning && d.range.begin == range.begin &&
           d.path == file.path() && d.message == message;
  };
  if (!std::any_of(collected.begin(), collected.end(), isKnown))
    report(DiagnosticKind::Warning, file, range, std::move(message));
}

std::string DiagnosticEngine::render(const RenderOptions &options) const {
  std::string out;
  for (const Diagnostic &diagnostic : collected)
    out += renderDiagnostic(diagnostic, options);
  return out;
}

} // namespace tessera
