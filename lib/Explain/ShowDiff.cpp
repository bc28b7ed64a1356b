//===- ShowDiff.cpp - what differs between two programs, on a screen ------===//
// The diff is unified and folded:
//
//      19 ~ %x = tt.load %p, %mask : tensor<1024x!tt.ptr<f32>, [#blocked -> #blocked1]>
//      20 - %c = ...
//         + %d = ...
//           ... 12 lines
//===----------------------------------------------------------------------===//
#include "ShowDiff.h"
#include "IRLine.h"
#include "Print.h"
#include "TextDiff.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;

namespace {
class DiffPrinter {
public:
  DiffPrinter(const ProgramText &before, const ProgramText &after, const Screen &screen,
              const DiffView &view)
      : screen(screen), view(view), before(before), after(after), newLines(splitLines(after.text)),
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

/// A few words that change are shown within the line: [old -> new], [+ new], [- old].
bool DiffPrinter::addInline(const DiffLine &line) {
  constexpr size_t most = 4;
  llvm::ArrayRef<Span> from = line.oldSpans, to = line.newSpans;
  if (from.size() > most || to.size() > most)
    return false;
  llvm::StringRef now = newLines[line.after], old = line.oldText;
  std::string text;
  std::vector<Colored> parts;
  auto addPart = [&](llvm::StringRef part, llvm::StringRef color) {
    unsigned begin = text.size();
    text += part;
    parts.push_back({{begin, unsigned(text.size())}, color});
  };
  size_t inOld = 0, inNew = 0;
  while (!from.empty() || !to.empty()) {
    // The text before a span is the same in both lines; the shorter way leads to the next span.
    size_t upToOld = from.empty() ? ~size_t(0) : from.front().first - inOld;
    size_t upToNew = to.empty() ? ~size_t(0) : to.front().first - inNew;
    bool hasOld = upToOld <= upToNew, hasNew = upToNew <= upToOld;
    size_t same = std::min(upToOld, upToNew);
    text += now.substr(inNew, same);
    inOld += same;
    inNew += same;
    text += hasOld && hasNew ? "[" : hasOld ? "[- " : "[+ ";
    if (hasOld) {
      addPart(old.slice(inOld, from.front().second), screen.colors.red);
      inOld = from.front().second;
      from = from.drop_front();
    }
    text += hasOld && hasNew ? " -> " : "";
    if (hasNew) {
      addPart(now.slice(inNew, to.front().second), screen.colors.green);
      inNew = to.front().second;
      to = to.drop_front();
    }
    text += "]";
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

std::string tessera::showDiff(const ProgramText &before, const ProgramText &after,
                              const Screen &screen, const DiffView &view) {
  return DiffPrinter(before, after, screen, view).run();
}
