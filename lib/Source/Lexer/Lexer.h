//===- Lexer.h - Python text → tokens -------------------------------------===//
// Gives one token per call, as CPython 3.12's tokenizer does: indentation
// becomes Indent and Dedent, f-strings become FStringStart, FStringMiddle and
// FStringEnd around ordinary tokens (PEP 701). Comments and blank lines vanish.
//
// The first problem yields Tok::Error and fills error(); from then on every
// call yields Tok::Error.
//
// Requires: text ends in '\n' or is empty, holds no NUL, and is valid UTF-8.
// Cost: linear; no allocation except for the f-string stack.
//===----------------------------------------------------------------------===//
#pragma once

#include "Token.h"
#include <string>
#include <vector>

namespace tessera {

struct LexError {
  std::string message;
  SourceRange range;
  /// Problems that CPython reports only when the parser gets to them. The
  /// others win over a syntax error found earlier in the file.
  bool onlyWhenReached = false;
  /// Inside an f-string, where CPython's look at the rest of the file ends.
  bool inFString = false;
};

class Lexer {
public:
  static constexpr unsigned kMaxBrackets = 200;
  static constexpr unsigned kMaxIndents = 100;
  static constexpr unsigned kMaxFStrings = 150;

  explicit Lexer(const SourceFile &file) : Lexer(file, 1) {}
  /// Begins at a line (from 1) that begins a statement outside every block.
  Lexer(const SourceFile &file, uint32_t firstLine);

  Token next();

  bool failed() const { return hasFailed; }
  const LexError &error() const { return firstError; }
  std::string_view text() const { return source; }

  /// The innermost bracket that is open.
  struct OpenBracket {
    char bracket = 0;
    SourceLoc loc;
  };
  bool hasOpenBracket() const { return level != 0; }
  const OpenBracket &innermostBracket() const { return brackets[level - 1]; }

private:
  /// One f-string that is being read.
  struct FString {
    char quote;
    uint8_t quoteSize;
    bool raw;
    bool inText;         // reading literal text, not a replacement field
    int depth = 0;       // brackets open inside
    int fieldDepth = -1; // value of depth at which the innermost field opened
    uint32_t begin;      // of the token FStringStart
    SourceLoc loc;
  };

  // Lexer.cpp
  Token nextRegular();
  bool readIndentation(bool &blank);
  bool applyIndentation(unsigned column, unsigned altColumn);
  bool skipToToken(bool &endOfLine);
  bool continueLine();
  Token readName();
  Token readOperator();
  Token openBracket(Tok kind);
  Token closeBracket(Tok kind);
  bool checkIdentifier(uint32_t begin, uint32_t end);
  Token badCharacter();

  // LexerNumbers.cpp
  Token readNumber();
  bool readDecimalTail();
  bool readRadixDigits(int radix, std::string_view name);
  bool readFraction();
  bool readExponent(bool &found);
  bool checkNumberEnd(std::string_view kind);
  Token finishNumber(std::string_view kind);

  // LexerStrings.cpp
  Token readString();
  Token startFString(bool raw);
  Token readFStringText();
  bool atClosingQuotes(const FString &f) const;
  /// Goes from the text of an f-string into a replacement field.
  void enterField(FString &f);
  /// The text before the brace that is next; `{{` and `}}` put one brace into it.
  Token readTextBeforeBrace(FString &f, bool inFormatSpec);
  /// Passes one character of the text, with what a backslash escapes; tells whether that
  /// was the start of \N{...}.
  bool passTextCharacter(const FString &f);
  Token unterminatedFString();

  unsigned char peek(uint32_t ahead = 0) const {
    return cur + ahead < size ? static_cast<unsigned char>(source[cur + ahead]) : 0;
  }
  bool atEnd() const { return cur >= size; }
  void newLine(); // cur has just passed a '\n'
  SourceLoc here() const { return {line, cur - lineStart}; }
  Token make(Tok kind);
  Token makeWithoutText(Tok kind);
  /// Reports at the last character read, as CPython's tokenizer does.
  Token fail(std::string message);
  Token failAt(SourceLoc begin, SourceLoc end, std::string message, bool onlyWhenReached = false);
  /// The cursor as CPython shows it: on the last character read.
  SourceRange lastCharacter() const;

  std::string_view source;
  uint32_t size = 0;
  uint32_t cur = 0;
  uint32_t line = 1;
  uint32_t lineStart = 0;
  uint32_t tokenBegin = 0; // of the token being read
  SourceLoc tokenLoc;

  bool atLineBegin = true;
  int pendingIndents = 0; // negative: dedents
  unsigned indent = 0;
  unsigned indents[kMaxIndents] = {};
  unsigned altIndents[kMaxIndents] = {};
  unsigned level = 0;
  OpenBracket brackets[kMaxBrackets];
  std::vector<FString> fstrings;

  bool hasFailed = false;
  LexError firstError;
};

} // namespace tessera
