//===- Lexer.cpp - lines, indentation, names and operators ----------------===//
// The order of work in nextRegular() is that of the language reference, chapter
// 2: indentation at the start of a logical line, then white space and comments,
// then a token. Messages and positions are CPython's, since users know them.
//===----------------------------------------------------------------------===//
#include "Lexer.h"
#include "../Text/Unicode.h"
#include <array>
#include <cstdio>

namespace tessera {

//===----------------------------------------------------------------------===//
// Character classes and keywords
//===----------------------------------------------------------------------===//

static constexpr uint8_t kNameStart = 1, kNameChar = 2, kDigit = 4;

static constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
    bool digit = c >= '0' && c <= '9';
    classes[c] = (letter ? kNameStart | kNameChar : 0) | (digit ? kDigit | kNameChar : 0);
  }
  return classes;
}
static constexpr std::array<uint8_t, 256> kClasses = makeClasses();

static constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

Tok keywordOrName(std::string_view word) {
  if (word.size() < 2 || word.size() > 8)
    return Tok::Name;
  // Keywords are sorted, so those with the same first letter are neighbours.
  static constexpr auto firstWith = [] {
    std::array<uint8_t, 128> table{};
    for (uint8_t &entry : table)
      entry = 255;
    for (unsigned i = std::size(kKeywords); i-- > 0;)
      table[static_cast<unsigned char>(kKeywords[i][0])] = i;
    return table;
  }();
  unsigned char first = word[0];
  if (first >= 128)
    return Tok::Name;
  for (unsigned i = firstWith[first]; i < std::size(kKeywords) && kKeywords[i][0] == word[0]; ++i)
    if (kKeywords[i] == word)
      return static_cast<Tok>(static_cast<unsigned>(Tok::KwFalse) + i);
  return Tok::Name;
}

//===----------------------------------------------------------------------===//
// Making tokens and errors
//===----------------------------------------------------------------------===//

Lexer::Lexer(const SourceFile &file, uint32_t firstLine)
    : source(file.text()), size(static_cast<uint32_t>(file.text().size())), line(firstLine) {
  if (firstLine > 1)
    cur = lineStart = file.lineStart(firstLine);
}

void Lexer::newLine() {
  // At the end of the text the lexer stays on the last line: that is where
  // CPython reports what is missing.
  if (atEnd())
    return;
  ++line;
  lineStart = cur;
}

Token Lexer::make(Tok kind) {
  Token token;
  token.kind = kind;
  token.begin = tokenBegin;
  token.end = cur;
  token.range = {tokenLoc, here()};
  token.level = static_cast<uint8_t>(level);
  return token;
}

Token Lexer::makeWithoutText(Tok kind) {
  tokenBegin = cur;
  tokenLoc = here();
  Token token = make(kind);
  token.hasText = false;
  return token;
}

SourceRange Lexer::lastCharacter() const {
  uint32_t at = cur;
  if (at > lineStart)
    --at;
  while (at > lineStart && (static_cast<unsigned char>(source[at]) & 0xC0) == 0x80)
    --at;
  return {{line, at - lineStart}, {line, std::max(cur, at + 1) - lineStart}};
}

Token Lexer::fail(std::string message) {
  SourceRange range = lastCharacter();
  return failAt(range.begin, range.end, std::move(message));
}

Token Lexer::failAt(SourceLoc begin, SourceLoc end, std::string message, bool onlyWhenReached) {
  if (!hasFailed) {
    hasFailed = true;
    firstError = {std::move(message), {begin, end}, onlyWhenReached, !fstrings.empty()};
  }
  return make(Tok::Error);
}

Token Lexer::next() {
  if (hasFailed)
    return make(Tok::Error);
  if (!fstrings.empty() && fstrings.back().inText)
    return readFStringText();
  return nextRegular();
}

//===----------------------------------------------------------------------===//
// Indentation
//===----------------------------------------------------------------------===//

static constexpr unsigned kTabSize = 8;

/// Measures the white space that begins a line, twice: with tabs to multiples
/// of 8 and with tabs as wide as a space. The two must agree on every
/// comparison, or the meaning would depend on the tab size.
bool Lexer::readIndentation(bool &blank) {
  unsigned column = 0, altColumn = 0, continuedColumn = 0;
  for (;; ++cur) {
    unsigned char c = peek();
    if (c == ' ') {
      ++column, ++altColumn;
    } else if (c == '\t') {
      column = (column / kTabSize + 1) * kTabSize;
      ++altColumn;
    } else if (c == '\f') {
      column = altColumn = 0;
    } else if (c == '\\') {
      // The indentation of the first of joined lines counts.
      if (!continuedColumn)
        continuedColumn = column;
      ++cur;
      if (!continueLine())
        return false;
      --cur;
    } else {
      break;
    }
  }
  unsigned char c = peek();
  blank = c == '#' || c == '\n';
  if (blank || level > 0)
    return true;
  if (continuedColumn)
    column = altColumn = continuedColumn;
  return applyIndentation(column, altColumn);
}

bool Lexer::applyIndentation(unsigned column, unsigned altColumn) {
  auto failHere = [&](const char *message, bool atEndOfLine) {
    uint32_t lineEnd = cur;
    while (lineEnd < size && source[lineEnd] != '\n')
      ++lineEnd;
    uint32_t at = atEndOfLine ? lineEnd - lineStart : 0;
    failAt({line, at}, {line, lineEnd - lineStart}, message, /*onlyWhenReached=*/true);
    return false;
  };
  const char *tabs = "inconsistent use of tabs and spaces in indentation";
  if (column == indents[indent])
    return altColumn == altIndents[indent] || failHere(tabs, false);
  if (column > indents[indent]) {
    if (indent + 1 >= kMaxIndents)
      return failHere("too many levels of indentation", false);
    if (altColumn <= altIndents[indent])
      return failHere(tabs, false);
    ++pendingIndents;
    indents[++indent] = column;
    altIndents[indent] = altColumn;
    return true;
  }
  while (indent > 0 && column < indents[indent]) {
    --pendingIndents;
    --indent;
  }
  if (column != indents[indent])
    return failHere("unindent does not match any outer indentation level", true);
  return altColumn == altIndents[indent] || failHere(tabs, false);
}

/// After a backslash: only a line ending may follow.
bool Lexer::continueLine() {
  if (peek() != '\n') {
    SourceLoc at = here();
    ++cur;
    failAt(at, {line, at.column + 1}, "unexpected character after line continuation character",
           /*onlyWhenReached=*/true);
    return false;
  }
  ++cur;
  if (atEnd()) {
    if (level)
      failAt(innermostBracket().loc,
             {innermostBracket().loc.line, innermostBracket().loc.column + 1},
             std::string("'") + innermostBracket().bracket + "' was never closed", true);
    else
      failAt({line, cur - lineStart - 1}, {line, cur - lineStart}, "unexpected EOF while parsing",
             true);
    return false;
  }
  newLine();
  return true;
}

//===----------------------------------------------------------------------===//
// The next token outside f-string text
//===----------------------------------------------------------------------===//

Token Lexer::nextRegular() {
  for (;;) {
    bool blank = false;
    if (atLineBegin) {
      atLineBegin = false;
      tokenBegin = cur;
      tokenLoc = here();
      if (!readIndentation(blank))
        return make(Tok::Error);
    }
    if (pendingIndents != 0) {
      bool isIndent = pendingIndents > 0;
      pendingIndents += isIndent ? -1 : 1;
      return makeWithoutText(isIndent ? Tok::Indent : Tok::Dedent);
    }
    bool endOfLine = false;
    if (!skipToToken(endOfLine))
      return make(Tok::Error);
    if (!endOfLine)
      break;
    bool significant = !blank && level == 0;
    Token newline;
    if (significant)
      newline = make(Tok::Newline);
    ++cur;
    newLine();
    atLineBegin = true;
    if (significant)
      return newline;
  }
  if (atEnd()) {
    if (level == 0)
      return makeWithoutText(Tok::EndMarker);
    SourceLoc open = innermostBracket().loc;
    return failAt(open, {open.line, open.column + 1},
                  std::string("'") + innermostBracket().bracket + "' was never closed", true);
  }
  unsigned char c = peek();
  uint8_t kind = kClasses[c];
  if (kind & kNameStart)
    return readName();
  if ((kind & kDigit) || (c == '.' && (kClasses[peek(1)] & kDigit)))
    return readNumber();
  if (c == '"' || c == '\'')
    return readString();
  return readOperator();
}

/// Skips spaces, comments and joined lines; stands on the next token, on a
/// '\n' (endOfLine) or at the end.
bool Lexer::skipToToken(bool &endOfLine) {
  for (;;) {
    while (peek() == ' ' || peek() == '\t' || peek() == '\f')
      ++cur;
    tokenBegin = cur;
    tokenLoc = here();
    unsigned char c = peek();
    if (c == '#') {
      size_t end = source.find('\n', cur);
      cur = end == std::string_view::npos ? size : static_cast<uint32_t>(end);
      endOfLine = !atEnd();
      return true;
    }
    if (c == '\n') {
      endOfLine = true;
      return true;
    }
    if (c != '\\' || atEnd())
      return true;
    ++cur;
    if (!continueLine())
      return false;
  }
}

Token Lexer::readName() {
  // A name may turn out to be the prefix of a string: r b u f in any case.
  bool b = false, u = false, r = false, f = false;
  for (;;) {
    unsigned char c = peek() | 0x20;
    if (c == 'b' && !(b || u || f))
      b = true;
    else if (c == 'u' && !(b || u || r || f))
      u = true;
    else if (c == 'r' && !(r || u))
      r = true;
    else if (c == 'f' && !(f || b || u))
      f = true;
    else
      break;
    ++cur;
    if (peek() == '"' || peek() == '\'')
      return f ? startFString(r) : readString();
  }
  bool ascii = true;
  while (kClasses[peek()] & kNameChar) {
    ascii &= peek() < 128;
    ++cur;
  }
  if (!ascii && !checkIdentifier(tokenBegin, cur))
    return make(Tok::Error);
  return make(keywordOrName(source.substr(tokenBegin, cur - tokenBegin)));
}

/// Letters beyond ASCII must be letters of identifiers (PEP 3131).
bool Lexer::checkIdentifier(uint32_t begin, uint32_t end) {
  uint32_t at = begin;
  while (at < end) {
    uint32_t start = at;
    uint32_t c = decodeUtf8(source, at);
    if (start == begin ? isIdentifierStart(c) : isIdentifierPart(c))
      continue;
    cur = at;
    badCharacter();
    return false;
  }
  return true;
}

/// cur has passed a character that begins no token.
Token Lexer::badCharacter() {
  uint32_t at = lastCharacter().begin.column + lineStart;
  uint32_t start = at;
  uint32_t c = decodeUtf8(source, at);
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(c));
  if (!isPrintable(c))
    return fail(std::string("invalid non-printable character ") + code);
  return fail("invalid character '" + std::string(source.substr(start, at - start)) + "' (" + code +
              ")");
}

//===----------------------------------------------------------------------===//
// Operators and brackets
//===----------------------------------------------------------------------===//

namespace {
/// The operators that one character can begin: alone, with '=', doubled, doubled with '='.
struct OperatorForms {
  Tok single = Tok::Error, equal = Tok::Error, twice = Tok::Error, twiceEqual = Tok::Error;
};
} // namespace

static constexpr OperatorForms formsOf(unsigned char c) {
  // clang-format off
  switch (c) {
  case '(': return {Tok::LPar};
  case ')': return {Tok::RPar};
  case '[': return {Tok::LSqb};
  case ']': return {Tok::RSqb};
  case '{': return {Tok::LBrace};
  case '}': return {Tok::RBrace};
  case ',': return {Tok::Comma};
  case ';': return {Tok::Semi};
  case '~': return {Tok::Tilde};
  case '.': return {Tok::Dot};
  case ':': return {Tok::Colon, Tok::ColonEqual};
  case '=': return {Tok::Equal, Tok::EqEqual};
  case '!': return {Tok::Exclamation, Tok::NotEqual};
  case '+': return {Tok::Plus, Tok::PlusEqual};
  case '-': return {Tok::Minus, Tok::MinusEqual};
  case '%': return {Tok::Percent, Tok::PercentEqual};
  case '@': return {Tok::At, Tok::AtEqual};
  case '&': return {Tok::Amper, Tok::AmperEqual};
  case '|': return {Tok::VBar, Tok::VBarEqual};
  case '^': return {Tok::Caret, Tok::CaretEqual};
  case '*': return {Tok::Star, Tok::StarEqual, Tok::DoubleStar, Tok::DoubleStarEqual};
  case '/': return {Tok::Slash, Tok::SlashEqual, Tok::DoubleSlash, Tok::DoubleSlashEqual};
  case '<': return {Tok::Less, Tok::LessEqual, Tok::LeftShift, Tok::LeftShiftEqual};
  case '>': return {Tok::Greater, Tok::GreaterEqual, Tok::RightShift, Tok::RightShiftEqual};
  default: return {};
  }
  // clang-format on
}

static constexpr auto kOperators = [] {
  std::array<OperatorForms, 128> table{};
  for (unsigned c = 0; c < 128; ++c)
    table[c] = formsOf(c);
  return table;
}();

Token Lexer::readOperator() {
  unsigned char c = peek();
  OperatorForms forms = c < 128 ? kOperators[c] : OperatorForms{};
  if (forms.single == Tok::Error) {
    ++cur;
    return isPrintable(c) && c < 128 ? make(Tok::Unknown) : badCharacter();
  }
  // In a replacement field of an f-string, a ':' outside brackets begins the
  // format specification, even before '='.
  if (c == ':' && !fstrings.empty()) {
    FString &f = fstrings.back();
    if (f.fieldDepth >= 0 && f.depth - 1 == f.fieldDepth) {
      ++cur;
      f.inText = true;
      return make(Tok::Colon);
    }
  }
  ++cur;
  unsigned char second = peek();
  if (second == c && forms.twice != Tok::Error) {
    ++cur;
    if (peek() != '=')
      return make(forms.twice);
    ++cur;
    return make(forms.twiceEqual);
  }
  if (second == '=' && forms.equal != Tok::Error) {
    ++cur;
    return make(forms.equal);
  }
  auto twoCharacters = [&](Tok kind, unsigned length) {
    cur += length;
    return make(kind);
  };
  if (c == '-' && second == '>')
    return twoCharacters(Tok::Arrow, 1);
  if (c == '<' && second == '>')
    return twoCharacters(Tok::LessGreater, 1);
  if (c == '.' && second == '.' && peek(1) == '.')
    return twoCharacters(Tok::Ellipsis, 2);
  switch (forms.single) {
  case Tok::LPar:
  case Tok::LSqb:
  case Tok::LBrace:
    return openBracket(forms.single);
  case Tok::RPar:
  case Tok::RSqb:
  case Tok::RBrace:
    return closeBracket(forms.single);
  default:
    return make(forms.single);
  }
}

Token Lexer::openBracket(Tok kind) {
  if (level >= kMaxBrackets)
    return fail("too many nested parentheses");
  brackets[level++] = {source[tokenBegin], tokenLoc};
  if (!fstrings.empty())
    ++fstrings.back().depth;
  return make(kind);
}

Token Lexer::closeBracket(Tok kind) {
  char close = source[tokenBegin];
  auto quoted = [](char c) { return std::string("'") + c + "'"; };
  FString *f = fstrings.empty() ? nullptr : &fstrings.back();
  if (f && f->depth == 0 && close == '}')
    return fail("f-string: single '}' is not allowed");
  if (level == 0)
    return fail("unmatched " + quoted(close));
  const OpenBracket open = brackets[--level];
  bool matches = (open.bracket == '(' && close == ')') || (open.bracket == '[' && close == ']') ||
                 (open.bracket == '{' && close == '}');
  if (!matches) {
    // The brace that opened a replacement field closes nothing else.
    if (f && open.bracket == '{' && f->depth - 1 == f->fieldDepth)
      return fail("f-string: unmatched " + quoted(close));
    std::string message = "closing parenthesis " + quoted(close) +
                          " does not match opening parenthesis " + quoted(open.bracket);
    if (open.loc.line != line)
      message += " on line " + std::to_string(open.loc.line);
    return fail(std::move(message));
  }
  if (f) {
    if (--f->depth < 0)
      return fail("f-string: unmatched " + quoted(close));
    if (close == '}' && f->depth == f->fieldDepth) {
      --f->fieldDepth;
      f->inText = true;
    }
  }
  return make(kind);
}

} // namespace tessera
