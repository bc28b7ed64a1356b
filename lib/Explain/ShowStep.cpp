//===- ShowStep.cpp - one pass: what it decided and what it changed -------===//
// The diff is unified and folded:
//
//      19 ~ %x = tt.load %p, %mask : tensor<1024x!tt.ptr<f32>, [#blocked -> #blocked1]>
//      20 - %c = ...
//         + %d = ...
//           ... 12 lines that are the same
//===----------------------------------------------------------------------===//
#include "IRLine.h"
#include "Print.h"
#include "TextDiff.h"
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

namespace {
class DiffPrinter {
public:
  DiffPrinter(const Explanation &explanation, const PassStep &step, const Screen &screen,
              const DiffView &view)
      : screen(screen), view(view), before(explanation.trace.texts[step.before]),
        after(explanation.trace.texts[step.after]), newLines(splitLines(after.text)),
        diff(diffPrograms(before, after)), printer(screen) {}
  std::string run();

private:
  std::vector<bool> chooseShown() const;
  bool isOfLine(const DiffLine &line) const;
  LinePlace placeOf(const DiffLine &line) const;
  void addFold(size_t lines);
  void addLine(const DiffLine &line);
  void addEdited(const DiffLine &line);
  bool addInline(const DiffLine &line);

  const Screen &screen;
  const DiffView &view;
  const ProgramText &before, &after;
  std::vector<llvm::StringRef> newLines;
  std::vector<DiffLine> diff;
  IRLinePrinter printer;
  std::string out;
};
} // namespace

LinePlace DiffPrinter::placeOf(const DiffLine &line) const {
  bool isOld = line.change == LineChange::Removed;
  const std::vector<LinePlace> &places = isOld ? before.places : after.places;
  size_t at = isOld ? line.before : line.after;
  return at < places.size() ? places[at] : LinePlace();
}

bool DiffPrinter::isOfLine(const DiffLine &line) const {
  LinePlace place = placeOf(line);
  return view.line == 0 || (place.file == 0 && place.line == view.line);
}

std::vector<bool> DiffPrinter::chooseShown() const {
  std::vector<bool> shown(diff.size(), view.whole && view.line == 0);
  for (size_t i = 0; i < diff.size(); ++i) {
    if (diff[i].change == LineChange::Same || !isOfLine(diff[i]))
      continue;
    size_t begin = i < view.context ? 0 : i - view.context;
    size_t end = std::min(diff.size(), i + view.context + 1);
    std::fill(shown.begin() + begin, shown.begin() + end, true);
  }
  if (view.line != 0)
    return shown;
  // A fold takes a line itself.
  for (size_t i = 0; i < shown.size();) {
    size_t end = i;
    while (end < shown.size() && !shown[end])
      ++end;
    bool isShort = end - i <= 2 && end - i < shown.size();
    std::fill(shown.begin() + i, shown.begin() + end, isShort);
    i = end + 1;
  }
  return shown;
}

void DiffPrinter::addFold(size_t lines) {
  out += std::string(IRLinePrinter::kGutter, ' ') +
         paint(screen, screen.colors.dim, "... " + counted(lines, "line")) + "\n";
  printer.forget();
}

/// A few words that change are shown within the line: [old -> new].
bool DiffPrinter::addInline(const DiffLine &line) {
  constexpr size_t most = 4;
  size_t count = line.newSpans.size();
  if (count > most || count != line.oldSpans.size())
    return false;
  llvm::StringRef now = newLines[line.after], old = line.oldText;
  std::string text;
  std::vector<Colored> parts;
  size_t inOld = 0, inNew = 0;
  for (auto [from, to] : llvm::zip(line.oldSpans, line.newSpans)) {
    // What stands between the spans must be the same, or the pairs belong to different places.
    if (old.slice(inOld, from.first) != now.slice(inNew, to.first))
      return false;
    text += now.slice(inNew, to.first);
    text += "[";
    unsigned begin = text.size();
    text += old.slice(from.first, from.second);
    parts.push_back({{begin, unsigned(text.size())}, screen.colors.red});
    text += " -> ";
    begin = text.size();
    text += now.slice(to.first, to.second);
    parts.push_back({{begin, unsigned(text.size())}, screen.colors.green});
    text += "]";
    inOld = from.second;
    inNew = to.second;
  }
  text += now.substr(inNew);
  printer.append(out, "~", placeOf(line), text, "", parts);
  return true;
}

void DiffPrinter::addEdited(const DiffLine &line) {
  if (addInline(line))
    return;
  auto colored = [&](llvm::ArrayRef<Span> spans, llvm::StringRef color) {
    std::vector<Colored> parts;
    for (Span span : spans)
      parts.push_back({span, color});
    return parts;
  };
  printer.append(out, "-", placeOf(line), line.oldText, screen.colors.dim,
                 colored(line.oldSpans, screen.colors.red));
  printer.append(out, "+", placeOf(line), newLines[line.after], "",
                 colored(line.newSpans, screen.colors.green));
}

void DiffPrinter::addLine(const DiffLine &line) {
  LinePlace place = placeOf(line);
  switch (line.change) {
  case LineChange::Same:
    return printer.append(out, " ", place, newLines[line.after], screen.colors.dim);
  case LineChange::Removed:
    return printer.append(out, line.moved ? "<" : "-", place, line.oldText,
                          line.moved ? screen.colors.yellow : screen.colors.red);
  case LineChange::Added:
    return printer.append(out, line.moved ? ">" : "+", place, newLines[line.after],
                          line.moved ? screen.colors.yellow : screen.colors.green);
  case LineChange::Edited:
    return addEdited(line);
  }
}

std::string DiffPrinter::run() {
  std::vector<bool> shown = chooseShown();
  size_t folded = 0;
  for (size_t i = 0; i < diff.size(); ++i) {
    if (!shown[i]) {
      ++folded;
      continue;
    }
    if (folded)
      addFold(std::exchange(folded, 0));
    addLine(diff[i]);
  }
  if (folded && !out.empty())
    addFold(folded);
  return std::move(out);
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
    out += DiffPrinter(explanation, step, screen, view).run();
  else if (step.changed)
    out += showText(explanation, step.after, screen, view.lines());
  return out;
}
