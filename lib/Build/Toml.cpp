//===- Toml.cpp - the subset of TOML that manifests use -------------------===//
// A parser by recursive descent. Each function returns false after it has
// reported an error; the first error ends the parse.
//===----------------------------------------------------------------------===//
#include "Toml.h"
#include "tessera/Source/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tessera;
using namespace tessera::build;

const TomlValue *TomlValue::find(llvm::StringRef key) const {
  for (const auto &[name, value] : members)
    if (name == key)
      return &value;
  return nullptr;
}

TomlValue *TomlValue::find(llvm::StringRef key) {
  return const_cast<TomlValue *>(std::as_const(*this).find(key));
}

llvm::StringRef TomlValue::kindName() const {
  switch (kind) {
  case Kind::String:
    return "a string";
  case Kind::Integer:
    return "a whole number";
  case Kind::Float:
    return "a number with a fraction";
  case Kind::Boolean:
    return "true or false";
  case Kind::Array:
    return "an array";
  case Kind::Table:
    return "a table";
  }
  return "";
}

namespace {
constexpr unsigned kMaxDepth = 32;       // of nested arrays and tables
constexpr unsigned kMaxEntries = 100000; // in the whole file
constexpr unsigned kMaxKeys = 1000;      // in one table: looking a key up is linear

class TomlParser {
public:
  TomlParser(const SourceFile &file, DiagnosticEngine &diagnostics)
      : file(file), text(file.text()), diagnostics(diagnostics) {}

  bool parse(TomlValue &root);

private:
  struct Key {
    std::string name;
    SourceRange range;
  };

  // Reading characters.
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool atEnd() const { return at >= text.size(); }
  void skipSpaces();
  void skipSpacesAndLines();
  bool endLine();
  SourceRange rangeFrom(size_t begin) const {
    return {file.locate(uint32_t(begin)), file.locate(uint32_t(at))};
  }

  // Errors.
  bool fail(size_t begin, size_t end, const llvm::Twine &message);
  bool failHere(const llvm::Twine &expected);
  std::string shown() const;

  // The grammar.
  bool parseHeader(TomlValue &root, TomlValue *&current);
  bool openTable(TomlValue &root, llvm::ArrayRef<Key> path, bool isArray, size_t begin,
                 TomlValue *&current);
  bool parseAssignment(TomlValue &table);
  bool parseKey(std::vector<Key> &path);
  bool parseKeyPart(Key &key);
  bool descend(TomlValue *&table, const Key &key);
  bool parseValue(TomlValue &value);
  bool parseString(std::string &value);
  bool parseEscape(std::string &value);
  bool parseWord(TomlValue &value);
  bool parseArray(TomlValue &value);
  bool parseInlineTable(TomlValue &value);

  const SourceFile &file;
  llvm::StringRef text;
  DiagnosticEngine &diagnostics;
  size_t at = 0;
  unsigned depth = 0;
  unsigned entries = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Characters and errors
//===----------------------------------------------------------------------===//

void TomlParser::skipSpaces() {
  while (peek() == ' ' || peek() == '\t')
    ++at;
  if (peek() == '#')
    at = std::min(text.find('\n', at), text.size());
}

void TomlParser::skipSpacesAndLines() {
  for (skipSpaces(); peek() == '\n'; skipSpaces())
    ++at;
}

bool TomlParser::endLine() {
  skipSpaces();
  if (atEnd())
    return true;
  if (peek() != '\n')
    return failHere("the end of the line");
  ++at;
  return true;
}

bool TomlParser::fail(size_t begin, size_t end, const llvm::Twine &message) {
  SourceRange range = {file.locate(uint32_t(begin)), file.locate(uint32_t(std::max(begin, end)))};
  diagnostics.error(file, range, message.str());
  return false;
}

std::string TomlParser::shown() const {
  if (atEnd() || peek() == '\n')
    return atEnd() ? "the file ends" : "the line ends";
  size_t length = 1; // a whole code point
  while (at + length < text.size() && (text[at + length] & 0xC0) == 0x80)
    ++length;
  return "there is '" + escapeUnprintable(text.substr(at, length)) + "'";
}

bool TomlParser::failHere(const llvm::Twine &expected) {
  return fail(at, at + 1, shown() + " where " + expected + " is expected");
}

//===----------------------------------------------------------------------===//
// Tables and keys
//===----------------------------------------------------------------------===//

bool TomlParser::parse(TomlValue &root) {
  TomlValue *current = &root;
  for (skipSpacesAndLines(); !atEnd(); skipSpacesAndLines()) {
    bool hasRead = peek() == '[' ? parseHeader(root, current) : parseAssignment(*current);
    if (!hasRead || !endLine())
      return false;
  }
  return true;
}

/// `[a.b]` or `[[a]]`: what follows belongs to that table.
bool TomlParser::parseHeader(TomlValue &root, TomlValue *&current) {
  size_t begin = at++;
  bool isArray = peek() == '[';
  at += isArray ? 1 : 0;
  std::vector<Key> path;
  if (!parseKey(path))
    return false;
  if (peek() != ']' || (isArray && peek(1) != ']'))
    return failHere(isArray ? "']]'" : "']'");
  at += isArray ? 2 : 1;
  return openTable(root, path, isArray, begin, current);
}

bool TomlParser::openTable(TomlValue &root, llvm::ArrayRef<Key> path, bool isArray, size_t begin,
                           TomlValue *&current) {
  TomlValue *table = &root;
  for (const Key &key : path.drop_back())
    if (!descend(table, key))
      return false;
  const Key &last = path.back();
  TomlValue *found = table->find(last.name);
  if (found && (isArray ? !found->isOfTables : !found->isTable() || found->isComplete)) {
    diagnostics.error(file, last.range, "'" + last.name + "' is there already")
        .note(file, found->keyRange, "as " + found->kindName().str() + " here");
    return false;
  }
  if (!found) {
    table->members.emplace_back(last.name, TomlValue());
    found = &table->members.back().second;
    found->kind = isArray ? TomlValue::Kind::Array : TomlValue::Kind::Table;
    found->keyRange = last.range;
    found->isOfTables = isArray;
  }
  if (isArray)
    found = &found->elements.emplace_back();
  found->range = rangeFrom(begin);
  found->isComplete = true;
  current = found;
  bool areTooMany = ++entries >= kMaxEntries || table->members.size() > kMaxKeys;
  return !areTooMany || fail(begin, at, "there are too many tables");
}

/// From a table to the table or the last element of the array of tables under `key`, which is
/// created if there is none.
bool TomlParser::descend(TomlValue *&table, const Key &key) {
  TomlValue *found = table->find(key.name);
  if (!found) {
    table->members.emplace_back(key.name, TomlValue());
    found = &table->members.back().second;
    found->keyRange = found->range = key.range;
  }
  if (found->isOfTables)
    found = &found->elements.back();
  if (!found->isTable()) {
    diagnostics.error(file, key.range, "'" + key.name + "' is no table")
        .note(file, found->keyRange, "it is " + found->kindName().str() + " here");
    return false;
  }
  table = found;
  return true;
}

bool TomlParser::parseKey(std::vector<Key> &path) {
  do {
    at += path.empty() ? 0 : 1; // the dot
    skipSpaces();
    if (!parseKeyPart(path.emplace_back()))
      return false;
    skipSpaces();
    if (path.size() > kMaxDepth)
      return fail(at, at + 1, "the key has too many parts");
  } while (peek() == '.');
  return true;
}

bool TomlParser::parseKeyPart(Key &key) {
  size_t begin = at;
  if (peek() == '"' || peek() == '\'') {
    if (!parseString(key.name))
      return false;
  } else {
    llvm::StringRef word =
        text.substr(at).take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
    if (word.empty())
      return failHere("a key");
    key.name = word.str();
    at += word.size();
  }
  key.range = rangeFrom(begin);
  return true;
}

bool TomlParser::parseAssignment(TomlValue &table) {
  size_t begin = at;
  std::vector<Key> path;
  if (!parseKey(path))
    return false;
  if (peek() != '=')
    return failHere("'=' after the key");
  ++at;
  TomlValue *owner = &table;
  for (const Key &key : llvm::drop_end(path))
    if (!descend(owner, key))
      return false;
  const Key &last = path.back();
  if (const TomlValue *found = owner->find(last.name)) {
    diagnostics.error(file, last.range, "'" + last.name + "' is there already")
        .note(file, found->keyRange, "here");
    return false;
  }
  if (++entries >= kMaxEntries || owner->members.size() >= kMaxKeys)
    return fail(begin, at, "there are too many keys");
  skipSpaces();
  TomlValue value;
  value.keyRange = last.range;
  if (!parseValue(value))
    return false;
  owner->members.emplace_back(last.name, std::move(value));
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool TomlParser::parseValue(TomlValue &value) {
  if (depth >= kMaxDepth)
    return fail(at, at + 1, "values nest too deeply");
  ++depth;
  size_t begin = at;
  bool hasRead = false;
  if (peek() == '"' || peek() == '\'') {
    value.kind = TomlValue::Kind::String;
    hasRead = parseString(value.text);
  } else if (peek() == '[') {
    hasRead = parseArray(value);
  } else if (peek() == '{') {
    hasRead = parseInlineTable(value);
  } else {
    hasRead = parseWord(value);
  }
  --depth;
  value.range = rangeFrom(begin);
  return hasRead;
}

bool TomlParser::parseString(std::string &value) {
  size_t begin = at;
  char quote = text[at++];
  if (peek() == quote && peek(1) == quote)
    return fail(begin, begin + 3, "strings of several lines are not read; write one line");
  while (peek() != quote) {
    char c = peek();
    if (atEnd() || c == '\n')
      return fail(begin, at, "the string does not end on its line");
    if (llvm::isPrint(c) || (c & 0x80) || c == '\t') {
      if (c == '\\' && quote == '"') {
        if (!parseEscape(value))
          return false;
        continue;
      }
      value += c;
      ++at;
      continue;
    }
    return fail(at, at + 1,
                "a control character in a string; write \\u" +
                    llvm::toHex(llvm::StringRef(&c, 1)).insert(0, "00"));
  }
  ++at;
  return true;
}

bool TomlParser::parseEscape(std::string &value) {
  size_t begin = at++; // the backslash
  char c = peek();
  static constexpr llvm::StringLiteral kLetters = "btnfr\"\\", kMeant = "\b\t\n\f\r\"\\";
  if (size_t index = kLetters.find(c); c && index != llvm::StringRef::npos) {
    value += kMeant[index];
    ++at;
    return true;
  }
  unsigned digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
  uint32_t code = 0;
  if (digits == 0 || text.substr(at + 1, digits).size() != digits ||
      text.substr(at + 1, digits).getAsInteger(16, code) || code > 0x10FFFF ||
      (code >= 0xD800 && code < 0xE000))
    return fail(begin, at + 1,
                "no such escape; there are \\\" \\\\ \\b \\t \\n \\f \\r \\uXXXX and \\UXXXXXXXX");
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = buffer;
  llvm::ConvertCodePointToUTF8(code, end);
  value.append(buffer, end);
  at += 1 + digits;
  return true;
}

/// A number, true or false.
bool TomlParser::parseWord(TomlValue &value) {
  size_t begin = at;
  llvm::StringRef word = text.substr(at).take_while(
      [](char c) { return llvm::isAlnum(c) || llvm::StringRef("+-_.:").contains(c); });
  if (word.empty())
    return failHere("a value");
  at += word.size();
  value.text = word.str();
  if (word == "true" || word == "false") {
    value.kind = TomlValue::Kind::Boolean;
    value.boolean = word == "true";
    return true;
  }
  std::string digits;
  for (char c : word)
    if (c != '_')
      digits += c;
  llvm::StringRef number = digits;
  number.consume_front("+");
  value.kind = TomlValue::Kind::Integer;
  if (!number.getAsInteger(number.starts_with("0x") ? 0 : 10, value.integer))
    return true;
  double fraction;
  value.kind = TomlValue::Kind::Float;
  if (llvm::isDigit(number.ltrim("-").take_front(1).empty() ? 'x' : number.ltrim("-")[0]) &&
      !number.getAsDouble(fraction))
    return true;
  bool isDate =
      word.size() >= 8 && llvm::isDigit(word[0]) && (word.contains('-') || word.contains(':'));
  return fail(begin, at,
              isDate ? llvm::Twine("dates and times are not read; write a string")
                     : "'" + word + "' is no value; strings are in quotes");
}

bool TomlParser::parseArray(TomlValue &value) {
  value.kind = TomlValue::Kind::Array;
  size_t begin = at++;
  for (skipSpacesAndLines(); peek() != ']'; skipSpacesAndLines()) {
    if (atEnd())
      return fail(begin, begin + 1, "this array is not closed");
    if (++entries >= kMaxEntries)
      return fail(begin, begin + 1, "the file has too many values");
    if (!parseValue(value.elements.emplace_back()))
      return false;
    skipSpacesAndLines();
    if (peek() == ',')
      ++at;
    else if (peek() != ']' && !atEnd())
      return failHere("',' or ']'");
  }
  ++at;
  return true;
}

bool TomlParser::parseInlineTable(TomlValue &value) {
  value.kind = TomlValue::Kind::Table;
  value.isComplete = true;
  size_t begin = at++;
  for (skipSpacesAndLines(); peek() != '}'; skipSpacesAndLines()) {
    if (atEnd())
      return fail(begin, begin + 1, "this table is not closed");
    if (!parseAssignment(value))
      return false;
    skipSpacesAndLines();
    if (peek() == ',')
      ++at;
    else if (peek() != '}' && !atEnd())
      return failHere("',' or '}'");
  }
  ++at;
  return true;
}

std::optional<TomlValue> build::parseToml(const SourceFile &file, DiagnosticEngine &diagnostics) {
  TomlValue root;
  root.isComplete = true;
  if (!TomlParser(file, diagnostics).parse(root))
    return std::nullopt;
  return root;
}
