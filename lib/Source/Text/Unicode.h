//===- Unicode.h - what Python's lexer asks of Unicode --------------------===//
// Identifier characters, printability, normalisation of names (NFKC) and the
// UTF-8 coding, as of Unicode 15.0, the version of Python 3.12.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// May begin (go on) an identifier: XID_Start and '_' (XID_Continue).
bool isIdentifierStart(char32_t c);
bool isIdentifierPart(char32_t c);
/// Python's str.isprintable() of one code point.
bool isPrintable(char32_t c);
/// Terminal columns that a code point takes: 0, 1 or 2.
unsigned displayWidth(char32_t c);

/// Decodes one code point of valid UTF-8 and moves `at` behind it. Lone
/// surrogates, coded like other code points, come out as they are.
char32_t decodeUtf8(std::string_view text, uint32_t &at);
void appendUtf8(std::string &out, char32_t c);

/// The first byte that is not valid UTF-8.
struct Utf8Error {
  size_t offset;
  const char *reason; // "invalid start byte", ...
};
std::optional<Utf8Error> checkUtf8(std::string_view text);

/// The name under which Python knows an identifier.
std::string normalizeIdentifier(std::string_view name);

} // namespace tessera
