//===- Repr.cpp - values as Python's repr() prints them -------------------===//
// Strings prefer single quotes; floats are the shortest digits that read back
// as the same value; integers are decimal whatever base they were written in.
//===----------------------------------------------------------------------===//
#include "Repr.h"
#include "../Text/Unicode.h"
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tessera {

using namespace ast;

static char chooseQuote(std::string_view text) {
  bool single = text.find('\'') != std::string_view::npos;
  bool both = single && text.find('"') != std::string_view::npos;
  return single && !both ? '"' : '\'';
}

/// The escapes that strings and bytes share; false for other characters.
static bool appendCommonEscape(std::string &out, char32_t c, char quote) {
  if (c == static_cast<unsigned char>(quote) || c == '\\') {
    out += '\\';
    out += static_cast<char>(c);
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    return false;
  }
  return true;
}

static void appendHex(std::string &out, const char *format, char32_t c) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned>(c));
  out += buffer;
}

void appendStringRepr(std::string &out, std::string_view text) {
  char quote = chooseQuote(text);
  out += quote;
  for (uint32_t at = 0; at < text.size();) {
    uint32_t begin = at;
    char32_t c = decodeUtf8(text, at);
    if (appendCommonEscape(out, c, quote))
      continue;
    if (isPrintable(c))
      out += text.substr(begin, at - begin);
    else
      appendHex(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
  }
  out += quote;
}

void appendBytesRepr(std::string &out, std::string_view bytes) {
  char quote = chooseQuote(bytes);
  out += 'b';
  out += quote;
  for (unsigned char c : bytes) {
    if (appendCommonEscape(out, c, quote))
      continue;
    if (c >= 32 && c < 127)
      out += static_cast<char>(c);
    else
      appendHex(out, "\\x%02x", c);
  }
  out += quote;
}

/// Digits and decimal exponent as Python lays them out.
static void appendFloat(std::string &out, double value, bool pointZero) {
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string_view text(buffer, end.ptr - buffer);
  size_t e = text.find('e');
  int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits;
  for (char c : text.substr(0, e))
    if (c != '.')
      digits += c;
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1)
      out += '.' + digits.substr(1);
    std::snprintf(buffer, sizeof buffer, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    out += buffer;
  } else if (exponent < 0) {
    out += "0." + std::string(-exponent - 1, '0') + digits;
  } else if (count > exponent + 1) {
    out += digits.substr(0, exponent + 1) + '.' + digits.substr(exponent + 1);
  } else {
    out += digits + std::string(exponent + 1 - count, '0');
    if (pointZero)
      out += ".0";
  }
}

void appendFloatRepr(std::string &out, double value) { appendFloat(out, value, true); }

/// Converts digits of a power-of-two base to decimal, nine digits at a time.
static void appendDecimal(std::string &out, std::string_view digits, unsigned base) {
  std::vector<uint32_t> limbs; // base 10^9, least significant first
  for (char c : digits) {
    uint64_t carry = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    for (uint32_t &limb : limbs) {
      carry += uint64_t(limb) * base;
      limb = static_cast<uint32_t>(carry % 1000000000);
      carry /= 1000000000;
    }
    if (carry)
      limbs.push_back(static_cast<uint32_t>(carry));
  }
  char buffer[16];
  for (size_t i = limbs.size(); i-- > 0;) {
    std::snprintf(buffer, sizeof buffer, i + 1 == limbs.size() ? "%u" : "%09u", limbs[i]);
    out += buffer;
  }
}

void appendConstantRepr(std::string &out, const Constant &constant) {
  switch (constant.type) {
  case ConstantKind::None:
    out += "None";
    return;
  case ConstantKind::True:
    out += "True";
    return;
  case ConstantKind::False:
    out += "False";
    return;
  case ConstantKind::Ellipsis:
    out += "Ellipsis";
    return;
  case ConstantKind::Int:
    if (!constant.intOverflows)
      out += std::to_string(constant.intValue);
    else if (constant.base == 10)
      out += constant.text;
    else
      appendDecimal(out, constant.text, constant.base);
    return;
  case ConstantKind::Float:
    return appendFloat(out, constant.floatValue, true);
  case ConstantKind::Complex:
    appendFloat(out, constant.floatValue, false);
    out += 'j';
    return;
  case ConstantKind::Str:
    return appendStringRepr(out, constant.text);
  case ConstantKind::Bytes:
    return appendBytesRepr(out, constant.text);
  }
}

} // namespace tessera
