//===- TextDiff.cpp - what differs between two programs -------------------===//
// See TextDiff.h. The steps of diffPrograms:
//   1. align lines that agree in everything but the numbers of names, and in their source line;
//   2. align what is left between those without any names;
//   3. pair lines of the same op and source line that are left: they were edited;
//   4. pair lines that are the same and in another place: they were moved;
//   5. learn from all pairs which old name is which new one, and compare again with these.
//===----------------------------------------------------------------------===//
#include "TextDiff.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace tessera;

using Pair = std::pair<size_t, size_t>;

std::vector<llvm::StringRef> tessera::splitLines(llvm::StringRef text) {
  std::vector<llvm::StringRef> lines;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    lines.push_back(line);
    text = rest;
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// Names and keys
//===----------------------------------------------------------------------===//

static bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

/// Calls `visit` with each part of a line: (text, isName). Strings hold no names. LLVM writes the
/// label of the block %12 as "12:".
template <typename Visitor> static void visitParts(llvm::StringRef line, Visitor visit) {
  size_t begin = 0, at = 0;
  llvm::StringRef label = line.take_while([](char c) { return llvm::isDigit(c); });
  if (!label.empty() && line.substr(label.size()).starts_with(":")) {
    visit(label, true);
    begin = at = label.size();
  }
  bool inString = false;
  while (at < line.size()) {
    if (line[at] == '"')
      inString = !inString;
    bool isSigil = !inString && (line[at] == '%' || line[at] == '^' || line[at] == '$');
    llvm::StringRef name = isSigil ? line.substr(at + 1).take_while(isNameChar) : llvm::StringRef();
    if (name.empty()) {
      ++at;
      continue;
    }
    if (at > begin)
      visit(line.slice(begin, at), false);
    visit(line.substr(at, name.size() + 1), true);
    at += name.size() + 1;
    begin = at;
  }
  if (begin < line.size())
    visit(line.substr(begin), false);
}

/// `%offsets` of `%offsets_3`, `%` of `%12`.
static llvm::StringRef baseOf(llvm::StringRef name) { return name.rtrim("0123456789").rtrim("_."); }

static std::string strongKey(llvm::StringRef line, LinePlace place) {
  std::string key = std::to_string(place.file) + ":" + std::to_string(place.line) + " ";
  visitParts(line, [&](llvm::StringRef part, bool isName) { key += isName ? baseOf(part) : part; });
  return key;
}

static std::string weakKey(llvm::StringRef line) {
  std::string key;
  visitParts(line, [&](llvm::StringRef part, bool isName) { key += isName ? "%" : part; });
  return key;
}

/// "tt.load" of `%x = tt.load %p : ...`, with its source line; lines without an op have none.
static std::string opKey(llvm::StringRef line, LinePlace place) {
  llvm::StringRef text = line.trim();
  if (size_t equals = text.find(" = "); equals != llvm::StringRef::npos && text.starts_with("%"))
    text = text.drop_front(equals + 3);
  llvm::StringRef op =
      text.take_while([](char c) { return isNameChar(c) || c == '"' || c == '#'; });
  if (op.empty())
    return "";
  return op.str() + " " + std::to_string(place.file) + ":" + std::to_string(place.line);
}

/// Numbers for strings; equal strings get equal ones.
static unsigned numberOf(llvm::StringMap<unsigned> &numbers, llvm::StringRef key) {
  return numbers.try_emplace(key, numbers.size() + 1).first->second;
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

namespace {
struct Side {
  std::vector<llvm::StringRef> lines;
  std::vector<LinePlace> places;
  std::vector<unsigned> strong, weak, op;

  explicit Side(const ProgramText &program)
      : lines(splitLines(program.text)), places(program.places) {
    places.resize(lines.size());
  }
};

class ProgramDiff {
public:
  ProgramDiff(const ProgramText &before, const ProgramText &after) : a(before), b(after) {}
  std::vector<DiffLine> run();

private:
  void number();
  /// Adds the pairs that `keys` finds between the pairs that are known.
  void refine(std::vector<unsigned> Side::*keys);
  void findMoved();
  void learnNames();
  void learn(llvm::StringRef oldLine, llvm::StringRef newLine, bool isWhole);
  std::string renamed(llvm::StringRef line) const;
  void addPair(Pair pair);
  void addRemoved(size_t line);
  void addAdded(size_t line);

  Side a, b;
  std::vector<Pair> pairs; // ascending
  std::vector<Pair> moved;
  llvm::StringMap<std::string> newNames; // of old names
  llvm::StringSet<> taken;               // new names that some old name has become
  llvm::StringSet<> used;                // all names of the new program
  unsigned unique = ~0u;                 // counts down: the numbers of lines that nothing equals
  std::vector<bool> isMovedA, isMovedB;
  std::vector<DiffLine> result;
};
} // namespace

void ProgramDiff::number() {
  llvm::StringMap<unsigned> strong, weak, op;
  for (Side *side : {&a, &b})
    for (size_t i = 0; i < side->lines.size(); ++i) {
      side->strong.push_back(numberOf(strong, strongKey(side->lines[i], side->places[i])));
      side->weak.push_back(numberOf(weak, weakKey(side->lines[i])));
      std::string key = opKey(side->lines[i], side->places[i]);
      side->op.push_back(key.empty() ? unique-- : numberOf(op, key));
    }
}

void ProgramDiff::refine(std::vector<unsigned> Side::*keys) {
  std::vector<Pair> all;
  size_t i = 0, j = 0;
  auto alignGap = [&](size_t iEnd, size_t jEnd) {
    llvm::ArrayRef<unsigned> inA(a.*keys), inB(b.*keys);
    for (auto [x, y] : alignEqual(inA.slice(i, iEnd - i), inB.slice(j, jEnd - j)))
      all.emplace_back(i + x, j + y);
  };
  for (const Pair &pair : pairs) {
    alignGap(pair.first, pair.second);
    all.push_back(pair);
    i = pair.first + 1;
    j = pair.second + 1;
  }
  alignGap(a.lines.size(), b.lines.size());
  pairs = std::move(all);
}

/// Returns whether a line holds no op, only the end of a region or the head of a block.
static bool isBracket(llvm::StringRef line) {
  line = line.trim();
  return line.empty() || llvm::StringRef("{}^").contains(line.front());
}

void ProgramDiff::findMoved() {
  isMovedA.assign(a.lines.size(), false);
  isMovedB.assign(b.lines.size(), false);
  std::vector<bool> pairedA(a.lines.size()), pairedB(b.lines.size());
  for (auto [i, j] : pairs)
    pairedA[i] = pairedB[j] = true;
  // An op that was hoisted has another indentation, and often no source line any more.
  for (bool withPlace : {true, false}) {
    auto keyOf = [&](const Side &side, size_t line) {
      return strongKey(side.lines[line].trim(), withPlace ? side.places[line] : LinePlace());
    };
    llvm::StringMap<std::vector<size_t>> waiting;
    for (size_t j = b.lines.size(); j-- > 0;)
      if (!pairedB[j] && !isBracket(b.lines[j]))
        waiting[keyOf(b, j)].push_back(j);
    for (size_t i = 0; i < a.lines.size(); ++i) {
      auto found = pairedA[i] ? waiting.end() : waiting.find(keyOf(a, i));
      if (found == waiting.end() || found->second.empty())
        continue;
      size_t j = found->second.back();
      found->second.pop_back();
      moved.emplace_back(i, j);
      pairedA[i] = pairedB[j] = isMovedA[i] = isMovedB[j] = true;
      a.op[i] = unique--;
      b.op[j] = unique--;
    }
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static llvm::SmallVector<llvm::StringRef> namesOf(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> names;
  visitParts(line, [&](llvm::StringRef part, bool isName) {
    if (isName)
      names.push_back(part);
  });
  return names;
}

/// A name with its sigil, which a label lacks.
static std::string withSigil(llvm::StringRef name) {
  return llvm::isDigit(name.front()) ? "%" + name.str() : name.str();
}

/// The first occurrence of a name defines it, so that lines in order tell who is who.
void ProgramDiff::learn(llvm::StringRef oldLine, llvm::StringRef newLine, bool isWhole) {
  if (!isWhole) { // the results alone
    oldLine = oldLine.take_front(oldLine.find(" = "));
    newLine = newLine.take_front(newLine.find(" = "));
  }
  llvm::SmallVector<llvm::StringRef> from = namesOf(oldLine), to = namesOf(newLine);
  if (from.size() != to.size())
    return;
  for (auto [old, now] : llvm::zip(from, to))
    if (!newNames.contains(withSigil(old)) && taken.insert(withSigil(now)).second)
      newNames[withSigil(old)] = withSigil(now);
}

void ProgramDiff::learnNames() {
  for (llvm::StringRef line : b.lines)
    for (llvm::StringRef name : namesOf(line))
      used.insert(withSigil(name));
  std::vector<std::pair<Pair, bool>> all; // with whether the lines differ in names alone
  for (auto [i, j] : pairs)
    all.push_back({{i, j}, a.weak[i] == b.weak[j]});
  for (Pair pair : moved)
    all.push_back({pair, true});
  llvm::sort(all);
  // Definitions first: a use of a removed value must not take the name of another definition.
  for (auto [pair, isWhole] : all)
    if (auto [i, j] = pair; a.lines[i].contains(" = ") && b.lines[j].contains(" = "))
      learn(a.lines[i], b.lines[j], /*isWhole=*/false);
  for (auto [pair, isWhole] : all)
    learn(a.lines[pair.first], b.lines[pair.second], isWhole);
}

std::string ProgramDiff::renamed(llvm::StringRef line) const {
  std::string text;
  visitParts(line, [&](llvm::StringRef part, bool isName) {
    if (!isName) {
      text += part;
      return;
    }
    std::string name = withSigil(part);
    auto found = newNames.find(name);
    if (found != newNames.end())
      name = found->second;
    else if (used.contains(name) && taken.contains(name))
      name += '\'';
    text +=
        llvm::StringRef(name).drop_front(name.size() > 1 && llvm::isDigit(part.front()) ? 1 : 0);
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// Words and signs of a line.
static std::vector<llvm::StringRef> tokensOf(llvm::StringRef line) {
  std::vector<llvm::StringRef> tokens;
  auto isWord = [](char c) {
    return isNameChar(c) || c == '%' || c == '#' || c == '^' || c == '\'';
  };
  while (!line.empty()) {
    size_t length = std::max<size_t>(1, line.take_while(isWord).size());
    tokens.push_back(line.take_front(length));
    line = line.drop_front(length);
  }
  return tokens;
}

static std::vector<Span> spansOf(llvm::StringRef line, llvm::ArrayRef<llvm::StringRef> tokens,
                                 const std::vector<bool> &kept) {
  std::vector<Span> spans;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (kept[i])
      continue;
    unsigned begin = tokens[i].data() - line.data(), end = begin + tokens[i].size();
    if (!spans.empty() && spans.back().second == begin)
      spans.back().second = end;
    else
      spans.push_back({begin, end});
  }
  return spans;
}

/// Finds what differs between two lines; false if they have too little in common for that.
static bool compareTokens(DiffLine &line, llvm::StringRef newText) {
  std::vector<llvm::StringRef> from = tokensOf(line.oldText), to = tokensOf(newText);
  llvm::StringMap<unsigned> numbers;
  auto numbersOf = [&](llvm::ArrayRef<llvm::StringRef> tokens) {
    std::vector<unsigned> list;
    for (llvm::StringRef token : tokens)
      list.push_back(numberOf(numbers, token));
    return list;
  };
  std::vector<unsigned> numberedFrom = numbersOf(from), numberedTo = numbersOf(to);
  std::vector<Pair> same = alignEqual(numberedFrom, numberedTo);
  std::vector<bool> keptFrom(from.size()), keptTo(to.size());
  for (auto [i, j] : same)
    keptFrom[i] = keptTo[j] = true;
  line.oldSpans = spansOf(line.oldText, from, keptFrom);
  line.newSpans = spansOf(newText, to, keptTo);
  return 2 * same.size() >= std::min(from.size(), to.size());
}

void ProgramDiff::addRemoved(size_t line) {
  DiffLine &added = result.emplace_back();
  added.change = LineChange::Removed;
  added.before = line;
  added.oldText = renamed(a.lines[line]);
  added.moved = isMovedA[line];
}

void ProgramDiff::addAdded(size_t line) {
  DiffLine &added = result.emplace_back();
  added.change = LineChange::Added;
  added.after = line;
  added.moved = isMovedB[line];
}

void ProgramDiff::addPair(Pair pair) {
  DiffLine line;
  line.before = pair.first;
  line.after = pair.second;
  line.oldText = renamed(a.lines[pair.first]);
  if (line.oldText != b.lines[pair.second]) {
    line.change = LineChange::Edited;
    if (!compareTokens(line, b.lines[pair.second])) {
      addRemoved(pair.first);
      addAdded(pair.second);
      return;
    }
  }
  result.push_back(std::move(line));
}

std::vector<DiffLine> ProgramDiff::run() {
  number();
  refine(&Side::strong);
  refine(&Side::weak);
  findMoved();
  refine(&Side::op);
  learnNames();
  size_t i = 0, j = 0;
  auto addGap = [&](size_t iEnd, size_t jEnd) {
    for (; i < iEnd; ++i)
      addRemoved(i);
    for (; j < jEnd; ++j)
      addAdded(j);
  };
  for (const Pair &pair : pairs) {
    addGap(pair.first, pair.second);
    addPair(pair);
    i = pair.first + 1;
    j = pair.second + 1;
  }
  addGap(a.lines.size(), b.lines.size());
  return std::move(result);
}

std::vector<DiffLine> tessera::diffPrograms(const ProgramText &before, const ProgramText &after) {
  return ProgramDiff(before, after).run();
}
