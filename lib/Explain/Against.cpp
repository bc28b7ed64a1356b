//===- Against.cpp - two compilations, level by level ---------------------===//
// The two may come from different versions of a file: lines of the first are renumbered to the
// second's where both have the same text, so that ops are aligned by what they come from.
//===----------------------------------------------------------------------===//
#include "OpChanges.h"
#include "Print.h"
#include "ShowDiff.h"
#include "TextDiff.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera;

namespace {
class Comparison {
public:
  Comparison(const Explanation &before, const Explanation &after, const Screen &screen,
             const DiffView &view)
      : before(before), after(after), screen(screen), view(view) {}
  std::string run(llvm::StringRef level);

private:
  void alignSources();
  void addHead();
  void addRow(const std::string &level);
  void addRecords();
  std::string diffOf(const std::string &level) const;
  /// The texts of a level, made comparable; false if one is missing.
  bool textsOf(const std::string &level, ProgramText &old, ProgramText &now) const;

  const Explanation &before, &after;
  const Screen &screen;
  const DiffView &view;
  std::vector<uint32_t> newLines; // of the old file's lines, from 1; 0 for none
  std::string out;
};
} // namespace

void Comparison::alignSources() {
  auto linesOf = [](const Explanation &explanation) {
    const std::vector<std::string> &sources = explanation.trace.sources;
    return splitLines(sources.empty() ? llvm::StringRef() : llvm::StringRef(sources[0]));
  };
  std::vector<llvm::StringRef> old = linesOf(before), now = linesOf(after);
  llvm::StringMap<unsigned> numbers;
  auto numbered = [&](llvm::ArrayRef<llvm::StringRef> lines) {
    std::vector<unsigned> list;
    for (llvm::StringRef line : lines)
      list.push_back(numbers.try_emplace(line.trim(), numbers.size()).first->second);
    return list;
  };
  std::vector<unsigned> oldNumbers = numbered(old), nowNumbers = numbered(now);
  newLines.assign(old.size() + 1, 0);
  for (auto [i, j] : alignEqual(oldNumbers, nowNumbers))
    newLines[i + 1] = j + 1;
}

bool Comparison::textsOf(const std::string &level, ProgramText &old, ProgramText &now) const {
  size_t from = findLevel(before, level), to = findLevel(after, level);
  if (from == kNoText || to == kNoText)
    return false;
  PassTrace pair;
  pair.texts = {before.trace.texts[from], after.trace.texts[to]};
  stabilizeAliases(pair);
  old = std::move(pair.texts[0]);
  now = std::move(pair.texts[1]);
  for (LinePlace &place : old.places)
    if (place.file == 0 && place.line < newLines.size())
      place.line = newLines[place.line];
  return true;
}

static std::string nameOf(const Explanation &explanation) {
  std::string text = escapeUnprintable(explanation.title()) + "  " +
                     escapeUnprintable(explanation.request.path) + "  " +
                     escapeUnprintable(explanation.request.target);
  CompileOptions defaults;
  const CompileOptions &options = explanation.request.options;
  auto add = [&](llvm::StringRef flag, auto value, auto usual) {
    if (!(value == usual)) {
      text += ("  " + flag + " ").str();
      if constexpr (std::is_same_v<decltype(value), std::string>)
        text += value;
      else
        text += std::to_string(value);
    }
  };
#define COMPILE_OPTION(type, field, value, flag, help) add(flag, options.field, defaults.field);
#include "tessera/Support/Options.def"
  return text + (explanation.hasFailed() ? "  failed" : "");
}

void Comparison::addHead() {
  out += paint(screen, screen.colors.red, "- ") + nameOf(before) + "\n";
  out += paint(screen, screen.colors.green, "+ ") + nameOf(after) + "\n\n";
  out +=
      paint(screen, screen.colors.dim, left("level", 10) + right("ops", 16) + right("lines", 14)) +
      paint(screen, screen.colors.dim, "  what differs") + "\n";
}

void Comparison::addRow(const std::string &level) {
  ProgramText old, now;
  if (!textsOf(level, old, now)) {
    out += left(level, 10) + "  only in " +
           (findLevel(before, level) == kNoText ? "the second" : "the first") + "\n";
    return;
  }
  size_t added = 0, removed = 0;
  for (const DiffLine &line : diffPrograms(old, now)) {
    added += line.change == LineChange::Added || line.change == LineChange::Edited;
    removed += line.change == LineChange::Removed || line.change == LineChange::Edited;
  }
  std::string lines = added + removed == 0
                          ? "the same"
                          : "-" + std::to_string(removed) + " +" + std::to_string(added);
  unsigned rest = screen.width > 52 ? screen.width - 42 : 10;
  std::string row = left(level, 10) + right(change(totalOf(old.ops), totalOf(now.ops)), 16) +
                    right(lines, 14) + "  " + joinParts(describeOps(old.ops, now.ops), rest);
  bool isSame = added + removed == 0;
  out +=
      paint(screen, isSame ? screen.colors.dim : llvm::StringRef(), llvm::StringRef(row).rtrim()) +
      "\n";
}

void Comparison::addRecords() {
  if (!before.record || !after.record)
    return;
  const KernelRecord &old = *before.record, &now = *after.record;
  std::string text;
  auto add = [&](llvm::StringRef what, int64_t from, int64_t to) {
    if (from < 0 && to < 0)
      return;
    text += (text.empty() ? "" : ", ") + what.str() + " " + std::to_string(from) +
            (from == to ? "" : " -> " + std::to_string(to));
  };
  add("registers", old.registers, now.registers);
  add("bytes spilled", old.spillBytes, now.spillBytes);
  add("bytes of shared memory", old.sharedBytes, now.sharedBytes);
  add("warps", old.numWarps, now.numWarps);
  out += "\n";
  appendFolded(out, screen, 0, text);
}

std::string Comparison::diffOf(const std::string &level) const {
  ProgramText old, now;
  if (!textsOf(level, old, now))
    return "";
  std::string diff = showDiff(old, now, screen, view);
  if (diff.empty())
    return "";
  return "\n" + paint(screen, screen.colors.bold, level) + "\n" + diff;
}

std::string Comparison::run(llvm::StringRef level) {
  alignSources();
  addHead();
  std::vector<std::string> levels = levelsOf(before);
  for (const std::string &each : levelsOf(after))
    if (!llvm::is_contained(levels, each))
      levels.push_back(each);
  for (const std::string &each : levels)
    addRow(each);
  addRecords();
  for (const std::string &each : levels)
    if (level == "all" || level == each)
      out += diffOf(each);
  return std::move(out);
}

std::string tessera::showAgainst(const Explanation &before, const Explanation &after,
                                 const Screen &screen, const DiffView &view,
                                 llvm::StringRef level) {
  return Comparison(before, after, screen, view).run(level);
}
