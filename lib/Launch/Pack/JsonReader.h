//===- JsonReader.h - JSON, read in place ---------------------------------===//
// Takes values off the front of a text, without allocating. After a failure `isGood` is
// false, and every call fails.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

class JsonReader {
public:
  explicit JsonReader(std::string_view text) : rest(text) {}
  bool isGood = true;

  /// The first character of the next value; 0 at the end.
  char peek() {
    skipSpace();
    return rest.empty() ? '\0' : rest[0];
  }
  bool take(char c) {
    if (peek() != c || c == '\0')
      return false;
    rest.remove_prefix(1);
    return true;
  }
  void require(char c) { isGood = isGood && take(c); }

  /// The characters between the quotes; escapes stay as they are.
  std::string_view string() {
    require('"');
    for (size_t i = 0; isGood && i < rest.size(); ++i) {
      if (rest[i] == '\\')
        ++i;
      else if (rest[i] == '"') {
        std::string_view text = rest.substr(0, i);
        rest.remove_prefix(i + 1);
        return text;
      }
    }
    isGood = false;
    return {};
  }

  int64_t integer() {
    bool isNegative = take('-'), hasDigits = false;
    uint64_t value = 0, limit = uint64_t(1) << 63;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && isGood) {
      uint64_t digit = uint64_t(rest[0] - '0');
      isGood = value <= (limit - digit) / 10;
      value = value * 10 + digit;
      rest.remove_prefix(1);
      hasDigits = true;
    }
    isGood = isGood && hasDigits && (isNegative || value < limit);
    return int64_t(isNegative ? 0 - value : value);
  }

  uint32_t number() {
    int64_t value = integer();
    isGood = isGood && value >= 0 && value < int64_t(1) << 32;
    return uint32_t(value);
  }

  bool boolean() {
    bool isTrue = peek() == 't';
    std::string_view word = isTrue ? "true" : "false";
    isGood = isGood && rest.starts_with(word);
    if (isGood)
      rest.remove_prefix(word.size());
    return isTrue;
  }

  /// Calls visit(key) at each value of an object, which must take the value.
  template <typename Visit> void object(Visit visit) {
    require('{');
    if (take('}'))
      return;
    do {
      std::string_view key = string();
      require(':');
      if (!isGood)
        return;
      visit(key);
    } while (isGood && take(','));
    require('}');
  }
  template <typename Visit> void array(Visit visit) {
    require('[');
    if (take(']'))
      return;
    do
      visit();
    while (isGood && take(','));
    require(']');
  }

  void skip(unsigned depth = 0) {
    skipSpace();
    isGood = isGood && depth < 64 && !rest.empty();
    if (!isGood)
      return;
    if (rest[0] == '"')
      string();
    else if (rest[0] == '{')
      object([&](std::string_view) { skip(depth + 1); });
    else if (rest[0] == '[')
      array([&] { skip(depth + 1); });
    else { // a number, true, false, null
      size_t end = rest.find_first_of(",]} \n\r\t");
      isGood = end != 0 && end != std::string_view::npos;
      if (isGood)
        rest.remove_prefix(end);
    }
  }

private:
  void skipSpace() {
    while (!rest.empty() &&
           (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\t'))
      rest.remove_prefix(1);
  }
  std::string_view rest;
};

} // namespace tessera
