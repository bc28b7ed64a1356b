//===- ShowStep.cpp - one pass: what it decided and what it changed -------===//
//===----------------------------------------------------------------------===//
#include "IRLine.h"
#include "Print.h"
#include "ShowDiff.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;

std::vector<size_t> tessera::findSteps(const Explanation &explanation, llvm::StringRef name) {
  std::vector<size_t> exact, partial;
  for (size_t i = 0; i < explanation.trace.steps.size(); ++i) {
    llvm::StringRef each = explanation.trace.steps[i].name;
    if (each == name)
      exact.push_back(i);
    if (each.contains_insensitive(name))
      partial.push_back(i);
  }
  return exact.empty() ? partial : exact;
}

/// The name, and what the pass did in numbers.
static std::string headOf(const PassStep &step, const Screen &screen) {
  std::string out = paint(screen, screen.colors.bold, escapeUnprintable(step.name)) + "  " +
                    paint(screen, screen.colors.dim, step.stage);
  if (step.seconds > 0)
    out += "  " + formatDuration(step.seconds);
  if (step.failed)
    out += "  " + paint(screen, screen.colors.red, "failed");
  else if (!step.changed)
    out += "  " + paint(screen, screen.colors.dim, "changed nothing");
  out += "\n";
  if (!step.summary.empty())
    appendFolded(out, screen, 2, escapeUnprintable(step.summary));
  if (!step.options.empty())
    appendFolded(out, screen, 2, "options: " + escapeUnprintable(step.options), screen.colors.dim);
  return out;
}

std::string tessera::showStep(const Explanation &explanation, size_t index, const Screen &screen,
                              const DiffView &view) {
  const PassStep &step = explanation.trace.steps[index];
  std::string out = headOf(step, screen);
  for (const Diagnostic &remark : step.remarks) {
    bool isHere = view.line == 0 || remark.range.begin.line == view.line;
    if (!isHere)
      continue;
    std::string place = remark.range.isValid() ? std::to_string(remark.range.begin.line) : "";
    std::string text;
    appendFolded(text, screen, 8, escapeUnprintable(describeRemark(remark)), screen.colors.cyan);
    out += paint(screen, screen.colors.dim, right(place, 5)) + " : " +
           llvm::StringRef(text).ltrim().str();
  }
  if (step.before == kNoText || step.after == kNoText || step.bytes)
    return out;
  const ProgramText &before = explanation.trace.texts[step.before],
                    &after = explanation.trace.texts[step.after];
  // Two languages have no lines in common; then the new text is shown.
  if (step.changed && before.syntax == after.syntax)
    out += showDiff(before, after, screen, view);
  else if (step.changed)
    out += showText(explanation, step.after, screen, view.lines());
  return out;
}
