//===- Literals.h - the values of numbers and strings ---------------------===//
// Turns the text of a token into the value of a constant.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include <string>
#include <string_view>

namespace tessera {

/// Fills type, value and digits of a Constant from the text of a number token.
/// Returns an error message, or an empty string.
std::string parseNumber(std::string_view text, Arena &arena, ast::Constant &constant);

/// The parts of a string token: prefix"body".
struct StringParts {
  bool bytes = false, raw = false, unicode = false;
  std::string_view body;
};
StringParts splitString(std::string_view token);

/// Appends what `body` stands for. Returns an error message, or an empty
/// string. `named` braces of f-strings are already gone.
std::string decodeStringBody(std::string_view body, bool raw, std::string &out);
std::string decodeBytesBody(std::string_view body, bool raw, std::string &out);

} // namespace tessera
