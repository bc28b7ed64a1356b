//===- Literals.cpp - the values of numbers and strings -------------------===//
// Errors are worded as CPython words them, positions included: its decoder
// works on a copy in which every character beyond ASCII is a ten-byte escape.
//===----------------------------------------------------------------------===//
#include "Literals.h"
#include "llvm/Support/Unicode.h"
#include "../Text/Unicode.h"
#include <charconv>
#include <limits>

namespace tessera {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// CPython refuses longer decimal literals: their conversion is quadratic.
static constexpr size_t kMaxDecimalDigits = 4300;

static std::string parseInteger(std::string_view digits, int base, Arena &arena,
                                ast::Constant &constant) {
  constant.type = ast::ConstantKind::Int;
  constant.base = static_cast<uint8_t>(base);
  while (digits.size() > 1 && digits.front() == '0')
    digits.remove_prefix(1);
  if (base == 10 && digits.size() > kMaxDecimalDigits)
    return "Exceeds the limit (4300 digits) for integer string conversion: value has " +
           std::to_string(digits.size()) +
           " digits; use sys.set_int_max_str_digits() to increase the limit - Consider "
           "hexadecimal for huge integer literals to avoid decimal conversion limits.";
  int64_t value = 0;
  auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (result.ec == std::errc()) {
    constant.intValue = value;
  } else {
    constant.intOverflows = true;
    constant.text = arena.copy(digits);
  }
  return {};
}

static double parseDouble(std::string_view text) {
  double value = 0;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc::result_out_of_range)
    return value;
  // Too large or too small: the decimal exponent of the first digit tells.
  size_t exponentAt = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, exponentAt);
  long exponent = 0;
  if (exponentAt != std::string_view::npos) {
    std::string_view digits = text.substr(exponentAt + 1);
    if (digits.starts_with('+'))
      digits.remove_prefix(1);
    auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (parsed.ec == std::errc::result_out_of_range)
      exponent = digits.starts_with('-') ? std::numeric_limits<int>::min()
                                         : std::numeric_limits<int>::max();
  }
  size_t dot = std::min(mantissa.find('.'), mantissa.size());
  size_t first = mantissa.find_first_of("123456789");
  long magnitude = static_cast<long>(dot) - static_cast<long>(first);
  return exponent + magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

std::string parseNumber(std::string_view text, Arena &arena, ast::Constant &constant) {
  std::string stripped;
  if (text.find('_') != std::string_view::npos) {
    for (char c : text)
      if (c != '_')
        stripped.push_back(c);
    text = stripped;
  }
  if (text.size() > 2 && text[0] == '0') {
    char letter = static_cast<char>(text[1] | 0x20);
    int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (base)
      return parseInteger(text.substr(2), base, arena, constant);
  }
  bool imaginary = (text.back() | 0x20) == 'j';
  if (imaginary)
    text.remove_suffix(1);
  if (!imaginary && text.find_first_of(".eE") == std::string_view::npos)
    return parseInteger(text, 10, arena, constant);
  constant.type = imaginary ? ast::ConstantKind::Complex : ast::ConstantKind::Float;
  constant.floatValue = parseDouble(text);
  return {};
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

StringParts splitString(std::string_view token) {
  StringParts parts;
  size_t at = 0;
  for (; token[at] != '"' && token[at] != '\''; ++at) {
    char letter = static_cast<char>(token[at] | 0x20);
    parts.bytes |= letter == 'b';
    parts.raw |= letter == 'r';
    parts.unicode |= letter == 'u';
  }
  token.remove_prefix(at);
  size_t quotes = token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
  parts.body = token.substr(quotes, token.size() - 2 * quotes);
  return parts;
}

static int hexValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// The escapes that are one letter and mean one character; 0 for others.
static char simpleEscape(char c) {
  switch (c) {
  case '\\':
  case '\'':
  case '"':
    return c;
  case 'a':
    return '\a';
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  case 'v':
    return '\v';
  default:
    return 0;
  }
}

/// Reads up to three octal digits at `at`.
static unsigned readOctal(std::string_view body, size_t &at) {
  unsigned value = 0;
  for (unsigned i = 0; i < 3 && at < body.size() && body[at] >= '0' && body[at] <= '7'; ++i)
    value = value * 8 + static_cast<unsigned>(body[at++] - '0');
  return value;
}

/// Converts an offset in the body to the offset in the copy that CPython decodes.
static size_t cpythonOffset(std::string_view body, size_t offset) {
  size_t result = 0;
  for (uint32_t at = 0; at < offset;)
    result += decodeUtf8(body, at) < 128 ? 1 : 10;
  return result;
}

static std::string escapeError(std::string_view body, size_t begin, size_t end,
                               std::string_view reason) {
  size_t from = cpythonOffset(body, begin), to = cpythonOffset(body, end);
  std::string message = "(unicode error) 'unicodeescape' codec can't decode ";
  if (to <= from + 1)
    message += "byte 0x5c in position " + std::to_string(from);
  else
    message += "bytes in position " + std::to_string(from) + "-" + std::to_string(to - 1);
  return message + ": " + std::string(reason);
}

/// \xXX, \uXXXX and \UXXXXXXXX; `at` stands behind the letter.
static std::string decodeHexEscape(std::string_view body, size_t begin, size_t &at, unsigned count,
                                   std::string &out) {
  char32_t value = 0;
  for (unsigned i = 0; i < count; ++i, ++at) {
    int digit = at < body.size() ? hexValue(body[at]) : -1;
    if (digit < 0)
      return escapeError(body, begin, at,
                         count == 2   ? "truncated \\xXX escape"
                         : count == 4 ? "truncated \\uXXXX escape"
                                      : "truncated \\UXXXXXXXX escape");
    value = value * 16 + static_cast<char32_t>(digit);
  }
  if (value > 0x10FFFF)
    return escapeError(body, begin, at, "illegal Unicode character");
  appendUtf8(out, value);
  return {};
}

/// \N{name}; `at` stands behind the N.
static std::string decodeNamedEscape(std::string_view body, size_t begin, size_t &at,
                                     std::string &out) {
  size_t close = at < body.size() && body[at] == '{' ? body.find('}', at) : std::string_view::npos;
  if (close == std::string_view::npos || close == at + 1) {
    if (at < body.size() && body[at] == '{')
      at = close == std::string_view::npos ? body.size() : close;
    return escapeError(body, begin, at, "malformed \\N character escape");
  }
  std::string name;
  for (char c : body.substr(at + 1, close - at - 1))
    name.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
  at = close + 1;
  std::optional<char32_t> value = llvm::sys::unicode::nameToCodepointStrict(name);
  if (!value)
    return escapeError(body, begin, at, "unknown Unicode character name");
  appendUtf8(out, *value);
  return {};
}

std::string decodeStringBody(std::string_view body, bool raw, std::string &out) {
  if (raw) {
    out.append(body);
    return {};
  }
  for (size_t at = 0;;) {
    size_t slash = std::min(body.find('\\', at), body.size());
    out.append(body.substr(at, slash - at));
    if (slash == body.size())
      return {};
    at = slash + 1;
    if (at == body.size())
      return escapeError(body, slash, at, "\\ at end of string");
    char c = body[at++];
    std::string error;
    if (char simple = simpleEscape(c))
      out.push_back(simple);
    else if (c >= '0' && c <= '7')
      appendUtf8(out, readOctal(body, --at));
    else if (c == 'x' || c == 'u' || c == 'U')
      error = decodeHexEscape(body, slash, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, out);
    else if (c == 'N')
      error = decodeNamedEscape(body, slash, at, out);
    else if (c != '\n') { // unknown escapes stand for themselves
      out.push_back('\\');
      --at;
      // Copy the whole character, which may be longer than a byte.
      uint32_t next = static_cast<uint32_t>(at);
      decodeUtf8(body, next);
      out.append(body.substr(at, next - at));
      at = next;
    }
    if (!error.empty())
      return error;
  }
}

std::string decodeBytesBody(std::string_view body, bool raw, std::string &out) {
  for (unsigned char c : body)
    if (c >= 128)
      return "bytes can only contain ASCII literal characters";
  if (raw) {
    out.append(body);
    return {};
  }
  for (size_t at = 0;;) {
    size_t slash = std::min(body.find('\\', at), body.size());
    out.append(body.substr(at, slash - at));
    if (slash == body.size())
      return {};
    at = slash + 1;
    if (at == body.size())
      return "(value error) Trailing \\ in string";
    char c = body[at++];
    if (char simple = simpleEscape(c)) {
      out.push_back(simple);
    } else if (c >= '0' && c <= '7') {
      out.push_back(static_cast<char>(readOctal(body, --at)));
    } else if (c == 'x') {
      int high = at < body.size() ? hexValue(body[at]) : -1;
      int low = at + 1 < body.size() ? hexValue(body[at + 1]) : -1;
      if (high < 0 || low < 0)
        return "(value error) invalid \\x escape at position " + std::to_string(slash);
      out.push_back(static_cast<char>(high * 16 + low));
      at += 2;
    } else if (c != '\n') {
      out.push_back('\\');
      out.push_back(c);
    }
  }
}

} // namespace tessera
