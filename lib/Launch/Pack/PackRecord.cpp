//===- PackRecord.cpp - the part of a record that the library of packs needs =//
#include "PackRecord.h"

using namespace tessera;

namespace {
/// Takes values off the front of JSON text. After a failure every call fails.
class JsonReader {
public:
  explicit JsonReader(std::string_view text) : rest(text) {}
  bool isGood = true;

  bool take(char c) {
    skipSpace();
    if (rest.empty() || rest[0] != c)
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

  uint32_t number() {
    skipSpace();
    uint64_t value = 0;
    bool hasDigits = false;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && value < (uint64_t(1) << 32)) {
      value = value * 10 + uint64_t(rest[0] - '0');
      rest.remove_prefix(1);
      hasDigits = true;
    }
    isGood = isGood && hasDigits && value < (uint64_t(1) << 32);
    return uint32_t(value);
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
    while (!rest.empty() && std::string_view(" \n\r\t").find(rest[0]) != std::string_view::npos)
      rest.remove_prefix(1);
  }
  std::string_view rest;
};
} // namespace

static void readParameter(JsonReader &reader, PackParameter &parameter) {
  reader.object([&](std::string_view key) {
    if (key == "type")
      parameter.type = reader.string();
    else if (key == "divisibility")
      parameter.divisibility = reader.number();
    else if (key == "constant") {
      parameter.constant = reader.string();
      parameter.hasConstant = true;
    } else
      reader.skip();
  });
}

bool PackRecord::read(std::string_view text) {
  JsonReader reader(text);
  std::string_view name;
  reader.object([&](std::string_view key) {
    if (key == "name")
      name = reader.string();
    else if (key == "symbol")
      symbol = reader.string();
    else if (key == "hidden_arguments")
      reader.array([&] {
        hasHidden = true;
        reader.skip();
      });
    else if (key == "arguments")
      reader.array([&] {
        reader.isGood = reader.isGood && count < kMaxParameters;
        if (reader.isGood)
          readParameter(reader, parameters[count++]);
      });
    else
      reader.skip();
  });
  if (symbol.empty())
    symbol = name;
  return reader.isGood && !symbol.empty();
}
