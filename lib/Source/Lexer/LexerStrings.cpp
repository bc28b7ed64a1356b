//===- LexerStrings.cpp - string literals and f-strings -------------------===//
// A plain string is one token, prefix and quotes included. An f-string is
//
//   f"a{x!r:>{w}}"  →  FStringStart  Middle(a)  {  x  !  r  :  Middle(>)  {  w  }  }  FStringEnd
//
// where the fields between braces are read by the ordinary lexer, so that they
// may nest, span lines and hold any quotes (PEP 701).
//===----------------------------------------------------------------------===//
#include "Lexer.h"

namespace tessera {

Token Lexer::readString() {
  char quote = source[cur];
  SourceLoc begin = tokenLoc;
  unsigned quoteSize = 1;
  ++cur;
  if (peek() == static_cast<unsigned char>(quote)) {
    if (peek(1) != static_cast<unsigned char>(quote)) {
      ++cur;
      return make(Tok::String); // empty
    }
    quoteSize = 3;
    cur += 2;
  }
  unsigned endQuotes = 0;
  while (endQuotes != quoteSize) {
    if (atEnd() || (quoteSize == 1 && peek() == '\n')) {
      unsigned detected = line;
      if (!fstrings.empty() && fstrings.back().quote == quote &&
          fstrings.back().quoteSize == quoteSize)
        return failAt(begin, {begin.line, begin.column + 1}, "f-string: expecting '}'");
      std::string kind = quoteSize == 3 ? "triple-quoted string" : "string";
      return failAt(begin, {begin.line, begin.column + 1},
                    "unterminated " + kind + " literal (detected at line " +
                        std::to_string(detected) + ")");
    }
    char c = source[cur++];
    if (c == quote) {
      ++endQuotes;
      continue;
    }
    endQuotes = 0;
    if (c == '\\' && !atEnd())
      c = source[cur++];
    if (c == '\n')
      newLine();
  }
  return make(Tok::String);
}

/// cur stands on the opening quote.
Token Lexer::startFString(bool raw) {
  if (fstrings.size() + 1 >= kMaxFStrings)
    return fail("too many nested f-strings");
  FString f;
  f.quote = source[cur];
  f.quoteSize = 1;
  f.raw = raw;
  f.inText = true;
  f.begin = tokenBegin;
  f.loc = tokenLoc;
  ++cur;
  if (peek() == static_cast<unsigned char>(f.quote) &&
      peek(1) == static_cast<unsigned char>(f.quote)) {
    f.quoteSize = 3;
    cur += 2;
  }
  fstrings.push_back(f);
  return make(Tok::FStringStart);
}

Token Lexer::unterminatedFString() {
  const FString &f = fstrings.back();
  std::string kind = f.quoteSize == 3 ? "triple-quoted f-string" : "f-string";
  return failAt(f.loc, {f.loc.line, f.loc.column + 1},
                "unterminated " + kind + " literal (detected at line " + std::to_string(line) +
                    ")");
}

/// Reads literal text up to a field, a doubled brace, or the closing quotes.
bool Lexer::atClosingQuotes(const FString &f) const {
  for (unsigned i = 0; i < f.quoteSize; ++i)
    if (peek(i) != static_cast<unsigned char>(f.quote))
      return false;
  return true;
}

void Lexer::enterField(FString &f) {
  ++f.fieldDepth;
  if (f.fieldDepth + 1 >= static_cast<int>(kMaxFStrings))
    fail("f-string: expressions nested too deeply");
  else
    f.inText = false;
}

Token Lexer::readTextBeforeBrace(FString &f, bool inFormatSpec) {
  bool opens = source[cur] == '{';
  if (peek(1) == peek() && !inFormatSpec && (opens || f.depth == 0)) {
    // One brace is text, the other is dropped.
    ++cur;
    Token token = make(Tok::FStringMiddle);
    ++cur;
    token.range.end = here();
    return token;
  }
  Token token = make(Tok::FStringMiddle);
  if (opens)
    enterField(f);
  else
    f.inText = false;
  return opens && hasFailed ? make(Tok::Error) : token;
}

bool Lexer::passTextCharacter(const FString &f) {
  char c = source[cur++];
  if (c == '\n')
    newLine();
  if (c != '\\' || atEnd())
    return false;
  char escaped = source[cur];
  if (escaped == '{' || escaped == '}')
    return false; // the backslash is text, the brace means what it means
  ++cur;
  if (escaped == '\n')
    newLine();
  if (escaped != 'N' || f.raw || peek() != '{')
    return false;
  ++cur;
  return true;
}

Token Lexer::readFStringText() {
  FString &f = fstrings.back();
  tokenBegin = cur;
  tokenLoc = here();
  bool inFormatSpec = f.fieldDepth >= 0;
  if (peek() == '{' && (peek(1) != '{' || inFormatSpec)) {
    enterField(f);
    return hasFailed ? make(Tok::Error) : nextRegular();
  }
  if (atClosingQuotes(f)) {
    cur += f.quoteSize;
    Token token = make(Tok::FStringEnd);
    fstrings.pop_back();
    return token;
  }

  bool namedEscape = false; // inside \N{...}, whose braces are text
  for (;;) {
    if (atClosingQuotes(f))
      return make(Tok::FStringMiddle);
    if (atEnd())
      return unterminatedFString();
    char c = source[cur];
    if (c == '\n' && f.quoteSize == 1) {
      if (!inFormatSpec)
        return unterminatedFString();
      f.inText = false; // the specification ends with the line; the field goes on
      return make(Tok::FStringMiddle);
    }
    if (c == '}' && namedEscape) {
      ++cur;
      return make(Tok::FStringMiddle);
    }
    if (c == '{' || c == '}')
      return readTextBeforeBrace(f, inFormatSpec);
    namedEscape |= passTextCharacter(f);
  }
}

} // namespace tessera
