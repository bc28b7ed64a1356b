//===- ProgramMutator.cpp - change a kernel as a programmer would ---------===//
#include "ProgramMutator.h"
#include <algorithm>
#include <cctype>
#include <iterator>

using namespace tessera::fuzz;

//===----------------------------------------------------------------------===//
// Phrases
//===----------------------------------------------------------------------===//

namespace {
enum class Phrase {
  Function,
  Type,
  Number,
  BlockSize,
  Operator,
  Keyword,
  Attribute,
  String,
  SignatureEntry,
  Expression,
  Statement,
  Definition,
};
struct Row {
  Phrase kind;
  std::string_view text;
};
constexpr Row kRows[] = {
#define TESSERA_PHRASE(kind, text) {Phrase::kind, text},
#include "Vocabulary.def"
};
constexpr size_t kKinds = size_t(Phrase::Definition) + 1;

/// The rows of each kind; the file has them in runs.
struct Vocabulary {
  std::vector<std::string_view> phrases[kKinds];
  Vocabulary() {
    for (const Row &row : kRows)
      phrases[size_t(row.kind)].push_back(row.text);
  }
};

/// Deep enough for a call of a call, shallow enough to stay short.
constexpr unsigned kMaxDepth = 4;
constexpr size_t kMaxLines = 2000;
} // namespace

static const std::vector<std::string_view> &phrases(Phrase kind) {
  static const Vocabulary vocabulary;
  return vocabulary.phrases[size_t(kind)];
}

std::string ProgramMutator::expand(char letter, unsigned depth) {
  auto pick = [&](Phrase kind) {
    const auto &all = phrases(kind);
    return fill(all[below(all.size())], depth + 1);
  };
  switch (letter) {
  case 'n':
    return names.empty() || oneIn(12) ? "v" + std::to_string(below(4)) : names[below(names.size())];
  case 'e':
    return depth >= kMaxDepth ? expand(oneIn(2) ? 'n' : 'i', depth) : pick(Phrase::Expression);
  case 's':
    return depth >= kMaxDepth ? "pass" : pick(Phrase::Statement);
  case 'i':
    return pick(Phrase::Number);
  case 'b':
    return pick(Phrase::BlockSize);
  case 't':
    return pick(Phrase::Type);
  case 'o':
    return pick(Phrase::Operator);
  case 'f':
    return pick(Phrase::Function);
  case 'k':
    return pick(Phrase::Keyword);
  case 'a':
    return pick(Phrase::Attribute);
  case 'w':
    return depth > kMaxDepth ? "''" : pick(Phrase::String);
  case 'g':
    return pick(Phrase::SignatureEntry);
  default:
    return pick(Phrase::Definition);
  }
}

std::string ProgramMutator::fill(std::string_view phrase, unsigned depth) {
  std::string text;
  std::string indent; // of the phrase's current line: what is nested goes as deep
  bool atStart = true;
  for (size_t i = 0; i < phrase.size(); ++i) {
    char c = phrase[i];
    if (c != '$' || i + 1 == phrase.size()) {
      text += c;
      if (c == '\n') {
        indent.clear();
        atStart = true;
      } else if (atStart && c == ' ') {
        indent += c;
      } else {
        atStart = false;
      }
      continue;
    }
    atStart = false;
    for (char nested : expand(phrase[++i], depth)) {
      text += nested;
      if (nested == '\n')
        text += indent;
    }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}

/// Words, strings, runs of spaces, operators of one or two characters.
static std::vector<std::string_view> tokenize(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (size_t i = 0; i < line.size();) {
    size_t end = i + 1;
    char c = line[i];
    if (isWordByte(c)) {
      while (end < line.size() && (isWordByte(line[end]) || (std::isdigit(c) && line[end] == '.')))
        ++end;
    } else if (c == ' ') {
      while (end < line.size() && line[end] == ' ')
        ++end;
    } else if (c == '"' || c == '\'') {
      while (end < line.size() && line[end] != c)
        ++end;
      end = std::min(end + 1, line.size());
    } else if (end < line.size() && std::string_view("*/<>=!:|&").find(c) != std::string::npos &&
               (line[end] == '=' || line[end] == c)) {
      ++end;
    }
    tokens.push_back(line.substr(i, end - i));
    i = end;
  }
  return tokens;
}

static bool isName(std::string_view token) {
  return isWordByte(token[0]) && !std::isdigit(static_cast<unsigned char>(token[0]));
}

std::string ProgramMutator::replacementFor(std::string_view token) {
  if (isName(token))
    return expand("nnnnetfab"[below(9)], 2);
  if (std::isdigit(static_cast<unsigned char>(token[0])))
    return expand("iiibne"[below(6)], 2);
  if (token[0] == '"' || token[0] == '\'')
    return expand(oneIn(4) ? 'e' : 'w', 2);
  if (token[0] == ' ')
    return " ";
  if (std::string_view("+-*/%<>=!&|^@").find(token[0]) != std::string::npos)
    return expand('o', 2);
  return std::string(1, "()[]{}:,.;=\\\n#'\""[below(16)]);
}

void ProgramMutator::changeTokens(std::string &line) {
  std::vector<std::string_view> tokens = tokenize(line);
  if (tokens.empty())
    return;
  size_t at = below(tokens.size());
  for (unsigned tries = 0; tries < 4 && tokens[at][0] == ' '; ++tries)
    at = below(tokens.size());
  std::vector<std::string> result(tokens.begin(), tokens.end());
  switch (below(8)) {
  case 0:
    result.erase(result.begin() + at);
    break;
  case 1:
    result.insert(result.begin() + at, result[at]);
    break;
  case 2:
    std::swap(result[at], result[below(result.size())]);
    break;
  case 3: { // an argument more, or an operand
    auto bracket = std::find(result.begin() + at, result.end(), ")");
    if (bracket != result.end())
      *bracket = oneIn(2) ? ", " + expand('e', 2) + ")"
                          : ", " + expand('k', 2) + "=" + expand('e', 2) + ")";
    else
      result.push_back(" " + expand('o', 2) + " " + expand('e', 2));
    break;
  }
  default:
    result[at] = replacementFor(tokens[at]);
  }
  line.clear();
  for (const std::string &token : result)
    line += token;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < kMaxLines) {
    size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  if (lines.empty())
    lines.emplace_back();
  return lines;
}

static std::string joinLines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

static size_t indentOf(std::string_view line) {
  size_t spaces = line.find_first_not_of(' ');
  return spaces == std::string_view::npos ? 0 : spaces;
}

static void moveIndent(std::string &line, size_t from, size_t to) {
  if (line.empty())
    return;
  if (to >= from)
    line.insert(0, to - from, ' ');
  else
    line.erase(0, std::min(indentOf(line), from - to));
}

void ProgramMutator::insertPhrase(Lines &lines) {
  size_t at = below(lines.size() + 1);
  size_t indent = at ? indentOf(lines[at - 1]) : 0;
  if (at && !lines[at - 1].empty() && lines[at - 1].back() == ':')
    indent += 4;
  Lines inserted = splitLines(expand(indent == 0 ? 'D' : 's', 0));
  for (std::string &line : inserted)
    moveIndent(line, 0, indent);
  lines.insert(lines.begin() + at, inserted.begin(), inserted.end());
}

void ProgramMutator::wrapLine(Lines &lines) {
  size_t at = below(lines.size());
  size_t indent = indentOf(lines[at]);
  size_t end = at + 1 + below(3);
  static constexpr std::string_view heads[] = {"if $e:",
                                               "for $n in range($e):",
                                               "for $n in tl.static_range($b):",
                                               "while $e:",
                                               "for $n in tl.range($e, $e, $i):",
                                               "else:"};
  for (size_t i = at; i < std::min(end, lines.size()); ++i)
    lines[i].insert(0, 4, ' ');
  lines.insert(lines.begin() + at,
               std::string(indent, ' ') + fill(heads[below(std::size(heads))], 1));
}

void ProgramMutator::indentBlock(Lines &lines) {
  size_t at = below(lines.size());
  size_t end = std::min(lines.size(), at + 1 + below(4));
  size_t from = indentOf(lines[at]);
  size_t to = oneIn(2) ? from + 4 : from >= 4 ? from - 4 : 0;
  for (size_t i = at; i < end; ++i)
    moveIndent(lines[i], from, to);
}

/// Size is an input too: many lines, or one line nested many times.
void ProgramMutator::duplicateMany(Lines &lines) {
  size_t at = below(lines.size());
  if (oneIn(2)) {
    lines.insert(lines.begin() + at, 1 + below(50), lines[at]);
    return;
  }
  static constexpr std::string_view openers = "([{-~";
  size_t which = below(openers.size()), count = 1 + below(150);
  std::string close = which < 3 ? std::string(count, ")]}"[which]) : "";
  size_t column = below(lines[at].size() + 1);
  lines[at].insert(column, std::string(count, openers[which]) + expand('e', 2) + close);
}

void ProgramMutator::changeSignature(Lines &lines) {
  constexpr std::string_view mark = "# signature:";
  std::vector<size_t> candidates;
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].starts_with(mark))
      candidates.push_back(i);
  if (candidates.empty()) {
    lines.insert(lines.begin(), std::string(mark) + " " + expand('g', 0));
    return;
  }
  std::string &line = lines[candidates[below(candidates.size())]];
  size_t comma = line.find(',', mark.size() + below(line.size()));
  size_t begin = comma == std::string::npos ? mark.size() : comma + 1;
  size_t end = line.find(',', begin);
  if (oneIn(6))
    line += "," + expand('g', 0);
  else
    line.replace(begin, end == std::string::npos ? end : end - begin, " " + expand('g', 0));
}

void ProgramMutator::changeLines(Lines &lines) {
  size_t at = below(lines.size());
  switch (below(4)) {
  case 0:
    if (lines.size() > 1)
      lines.erase(lines.begin() + at);
    break;
  case 1:
    lines.insert(lines.begin() + below(lines.size()), std::string(lines[at]));
    break;
  case 2:
    std::swap(lines[at], lines[below(lines.size())]);
    break;
  default: { // a line of elsewhere at this one's depth
    std::string moved = lines[below(lines.size())];
    moveIndent(moved, indentOf(moved), indentOf(lines[at]));
    lines.insert(lines.begin() + at, moved);
  }
  }
}

std::string ProgramMutator::mutate(std::string_view text) {
  Lines lines = splitLines(text);
  names.clear();
  for (const std::string &line : lines)
    for (std::string_view token : tokenize(line))
      if (isName(token) && token.size() < 40)
        names.emplace_back(token);
  for (size_t changes = 1 + below(4); changes; --changes) {
    switch (below(16)) {
    case 0:
    case 1:
      changeLines(lines);
      break;
    case 2:
    case 3:
    case 4:
      insertPhrase(lines);
      break;
    case 5:
      wrapLine(lines);
      break;
    case 6:
      indentBlock(lines);
      break;
    case 7:
      changeSignature(lines);
      break;
    case 8:
      if (oneIn(4))
        duplicateMany(lines);
      break;
    default:
      changeTokens(lines[below(lines.size())]);
    }
  }
  return joinLines(lines);
}

std::string ProgramMutator::splice(std::string_view text, std::string_view other) {
  Lines lines = splitLines(text), donor = splitLines(other);
  size_t begin = below(donor.size());
  size_t end = std::min(donor.size(), begin + 1 + below(oneIn(3) ? donor.size() : 6));
  size_t at = below(lines.size() + 1);
  size_t indent = at ? indentOf(lines[at - 1]) : 0;
  if (at && !lines[at - 1].empty() && lines[at - 1].back() == ':')
    indent += 4;
  size_t from = indentOf(donor[begin]);
  Lines run(donor.begin() + begin, donor.begin() + end);
  for (std::string &line : run)
    moveIndent(line, from, indent);
  lines.insert(lines.begin() + at, run.begin(), run.end());
  return joinLines(lines);
}
