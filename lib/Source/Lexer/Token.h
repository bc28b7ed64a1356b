//===- Token.h - the tokens of Python 3.12 --------------------------------===//
// Keywords and operators are kinds of their own, so that the parser compares
// one byte. Soft keywords (match, case, type, _) are Names; only the parser
// can tell when they are keywords.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/SourceFile.h"
#include <string_view>

namespace tessera {

// clang-format off
enum class Tok : uint8_t {
  EndMarker, Newline, Indent, Dedent, Error,
  Unknown, // `$`, `?` and '`', which begin nothing
  Name, Number, String, FStringStart, FStringMiddle, FStringEnd,
  // Brackets and separators.
  LPar, RPar, LSqb, RSqb, LBrace, RBrace, Comma, Colon, ColonEqual, Dot, Ellipsis, Semi, Arrow,
  Exclamation, Equal,
  // Comparison; LessGreater is `<>`, which no rule accepts.
  EqEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual, LessGreater,
  // Arithmetic.
  Plus, Minus, Star, Slash, DoubleSlash, Percent, At, DoubleStar, LeftShift, RightShift, Amper,
  VBar, Caret, Tilde,
  // Augmented assignment.
  PlusEqual, MinusEqual, StarEqual, SlashEqual, DoubleSlashEqual, PercentEqual, AtEqual,
  DoubleStarEqual, LeftShiftEqual, RightShiftEqual, AmperEqual, VBarEqual, CaretEqual,
  // Keywords, in alphabetic order.
  KwFalse, KwNone, KwTrue, KwAnd, KwAs, KwAssert, KwAsync, KwAwait, KwBreak, KwClass, KwContinue,
  KwDef, KwDel, KwElif, KwElse, KwExcept, KwFinally, KwFor, KwFrom, KwGlobal, KwIf, KwImport, KwIn,
  KwIs, KwLambda, KwNonlocal, KwNot, KwOr, KwPass, KwRaise, KwReturn, KwTry, KwWhile, KwWith,
  KwYield,
};
// clang-format on

struct Token {
  SourceRange range;
  uint32_t begin = 0; // offsets in the text
  uint32_t end = 0;
  Tok kind = Tok::EndMarker;
  /// Brackets that are open after this token (CPython's `level`).
  uint8_t level = 0;
  /// False for tokens without text (Indent, Dedent, EndMarker): range.begin is
  /// then where the lexer stood.
  bool hasText = true;
};

/// The keyword spelled `word`, or Tok::Name.
Tok keywordOrName(std::string_view word);

} // namespace tessera
