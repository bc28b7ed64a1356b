//===- LexerNumbers.cpp - integers, floats and imaginary numbers ----------===//
// Reads a number and says what is wrong with a bad one: "invalid decimal
// literal", "invalid digit '8' in octal literal", ... The value is made later
// (Literals.cpp), from the token's text.
//===----------------------------------------------------------------------===//
#include "Lexer.h"

namespace tessera {

static bool isDigit(unsigned char c) { return c >= '0' && c <= '9'; }
static bool isDigitOf(unsigned char c, int radix) {
  if (radix == 16)
    return isDigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
  return c >= '0' && c < '0' + radix;
}
static bool isNameCharacter(unsigned char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 128;
}

/// A number may be followed by a keyword (`1if x else y`), not by other letters.
bool Lexer::checkNumberEnd(std::string_view kind) {
  unsigned char c = peek();
  auto follows = [&](std::string_view word) {
    return source.substr(cur, word.size()) == word && !isNameCharacter(peek(word.size()));
  };
  bool keyword = false;
  switch (c) {
  case 'a':
    keyword = follows("and");
    break;
  case 'e':
    keyword = follows("else");
    break;
  case 'f':
    keyword = follows("for");
    break;
  case 'i':
    // CPython looks at two letters here, whatever follows them.
    keyword = peek(1) == 'f' || peek(1) == 'n' || peek(1) == 's';
    break;
  case 'n':
    keyword = follows("not");
    break;
  case 'o':
    keyword = follows("or");
    break;
  default:
    break;
  }
  // Letters beyond ASCII begin a name; the parser will stumble over it.
  if (keyword || !isNameCharacter(c) || c >= 128)
    return true;
  fail("invalid " + std::string(kind) + " literal");
  return false;
}

Token Lexer::finishNumber(std::string_view kind) {
  return checkNumberEnd(kind) ? make(Tok::Number) : make(Tok::Error);
}

/// Digits, with single underscores between them.
bool Lexer::readDecimalTail() {
  for (;;) {
    while (isDigit(peek()))
      ++cur;
    if (peek() != '_')
      return true;
    ++cur;
    if (!isDigit(peek())) {
      fail("invalid decimal literal");
      return false;
    }
  }
}

bool Lexer::readRadixDigits(int radix, std::string_view name) {
  auto badDigit = [&](unsigned char c) {
    ++cur;
    fail(std::string("invalid digit '") + static_cast<char>(c) + "' in " + std::string(name) +
         " literal");
    return false;
  };
  do {
    if (peek() == '_')
      ++cur;
    if (!isDigitOf(peek(), radix)) {
      if (isDigit(peek()))
        return badDigit(peek());
      fail("invalid " + std::string(name) + " literal");
      return false;
    }
    while (isDigitOf(peek(), radix))
      ++cur;
  } while (peek() == '_');
  if (isDigit(peek()))
    return badDigit(peek());
  return checkNumberEnd(name);
}

/// After '.': digits may follow.
bool Lexer::readFraction() { return !isDigit(peek()) || readDecimalTail(); }

bool Lexer::readExponent(bool &found) {
  found = false;
  if ((peek() | 0x20) != 'e')
    return true;
  uint32_t mark = cur;
  ++cur;
  if (peek() == '+' || peek() == '-') {
    ++cur;
    if (!isDigit(peek())) {
      fail("invalid decimal literal");
      return false;
    }
  } else if (!isDigit(peek())) {
    // Perhaps a keyword, as in `1else`.
    cur = mark;
    if (!checkNumberEnd("decimal"))
      return false;
    return true;
  }
  found = true;
  return readDecimalTail();
}

Token Lexer::readNumber() {
  unsigned char c = peek();
  if (c == '0') {
    ++cur;
    unsigned char letter = peek() | 0x20;
    int radix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (radix) {
      ++cur;
      bool ok = readRadixDigits(radix, radix == 16  ? "hexadecimal"
                                       : radix == 8 ? "octal"
                                                    : "binary");
      return ok ? make(Tok::Number) : make(Tok::Error);
    }
    // Zeros may lead only when the number is zero, a float or imaginary.
    for (;;) {
      if (peek() == '_') {
        ++cur;
        if (!isDigit(peek()))
          return fail("invalid decimal literal");
      }
      if (peek() != '0')
        break;
      ++cur;
    }
    uint32_t zerosEnd = cur;
    bool nonzero = isDigit(peek());
    if (nonzero && !readDecimalTail())
      return make(Tok::Error);
    unsigned char after = peek();
    if (nonzero && after != '.' && (after | 0x20) != 'e' && (after | 0x20) != 'j')
      return failAt(tokenLoc, {line, zerosEnd - lineStart},
                    "leading zeros in decimal integer literals are not permitted; use an 0o "
                    "prefix for octal integers");
  } else if (c != '.') {
    if (!readDecimalTail())
      return make(Tok::Error);
  }
  std::string_view kind = "decimal";
  if (peek() == '.') {
    ++cur;
    if (!readFraction())
      return make(Tok::Error);
  }
  bool exponent = false;
  if (!readExponent(exponent))
    return make(Tok::Error);
  if ((peek() | 0x20) == 'j') {
    ++cur;
    kind = "imaginary";
  }
  return finishNumber(kind);
}

} // namespace tessera
