//===- ShowText.cpp - IR with the lines of Python beside it ---------------===//
#include "IRLine.h"
#include "Print.h"
#include "TextDiff.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace tessera;

std::vector<std::string> tessera::levelsOf(const Explanation &explanation) {
  std::vector<std::string> levels;
  for (const PassStep &step : explanation.trace.steps)
    if (step.after != kNoText) {
      const std::string &level = explanation.trace.texts[step.after].level;
      if (!llvm::is_contained(levels, level))
        levels.push_back(level);
    }
  return levels;
}

size_t tessera::findLevel(const Explanation &explanation, llvm::StringRef level) {
  for (const PassStep &step : llvm::reverse(explanation.trace.steps))
    if (step.after != kNoText && explanation.trace.texts[step.after].level == level)
      return step.after;
  return kNoText;
}

std::string tessera::showText(const Explanation &explanation, size_t text, const Screen &screen,
                              llvm::ArrayRef<unsigned> lines) {
  const ProgramText &program = explanation.trace.texts[text];
  IRLinePrinter printer(screen);
  std::string out;
  size_t number = 0;
  for (llvm::StringRef each : splitLines(program.text)) {
    LinePlace place = number < program.places.size() ? program.places[number] : LinePlace();
    ++number;
    if (lines.empty() || (place.file == 0 && llvm::is_contained(lines, place.line)))
      printer.append(out, " ", place, each);
  }
  return out;
}

/// "18, 20-24": the lines of Python that ops come from.
static std::string listLines(const PassTrace &trace) {
  std::set<unsigned> lines;
  for (const ProgramText &program : trace.texts)
    for (LinePlace place : program.places)
      if (place.line && place.file == 0)
        lines.insert(place.line);
  std::vector<std::string> parts;
  for (auto at = lines.begin(); at != lines.end();) {
    unsigned first = *at, last = first;
    while (++at != lines.end() && *at == last + 1)
      last = *at;
    parts.push_back(std::to_string(first) + (last == first ? "" : "-" + std::to_string(last)));
  }
  return llvm::join(parts, ", ");
}

llvm::Expected<std::string> tessera::showLine(const Explanation &explanation, unsigned line,
                                              const Screen &screen) {
  const PassTrace &trace = explanation.trace;
  llvm::StringRef source = explanation.sourceLine({0, line});
  std::string path = trace.files.empty() ? explanation.request.path : trace.files[0];
  std::string out =
      paint(screen, screen.colors.bold, escapeUnprintable(path) + ":" + std::to_string(line)) +
      "  " + escapeUnprintable(source) + "\n";
  bool isEmpty = true;
  for (const std::string &level : levelsOf(explanation)) {
    std::string text = showText(explanation, findLevel(explanation, level), screen, line);
    if (text.empty())
      continue;
    isEmpty = false;
    out += "\n" + paint(screen, screen.colors.bold, level) + "\n" + text;
  }
  for (const PassStep &step : trace.steps)
    for (const Diagnostic &remark : step.remarks)
      if (remark.range.begin.line == line && !trace.files.empty() &&
          remark.path == trace.files[0]) {
        out += "\n" + paint(screen, screen.colors.bold, escapeUnprintable(step.name)) + "\n";
        appendFolded(out, screen, 4, escapeUnprintable(describeRemark(remark)));
      }
  if (isEmpty)
    return makeError("--line: no op of " + explanation.title() + " comes from line " +
                     llvm::Twine(line) + "; ops come from the lines " + listLines(trace));
  return out;
}
