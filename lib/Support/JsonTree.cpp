//===- JsonTree.cpp - JSON to be read once --------------------------------===//
// Children are collected on two stacks, and moved into the tree's memory when the bracket
// around them closes: an object or array is one piece of memory.
//===----------------------------------------------------------------------===//
#include "tessera/Support/JsonTree.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace tessera;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Reading the tree
//===----------------------------------------------------------------------===//

std::optional<int64_t> JsonValue::getAsInteger() const {
  if (kind == Kind::Signed)
    return number;
  constexpr double kLimit = 9223372036854775808.0; // 2^63
  if (kind == Kind::Double && std::trunc(real) == real && real >= -kLimit && real < kLimit)
    return int64_t(real);
  return std::nullopt;
}

json::Value JsonValue::copy() const {
  switch (kind) {
  case Kind::Null:
    return nullptr;
  case Kind::Boolean:
    return truth;
  case Kind::Signed:
    return number;
  case Kind::Unsigned:
    return large;
  case Kind::Double:
    return real;
  case Kind::String:
    return json::Value(llvm::StringRef(text, length).str());
  case Kind::Array: {
    json::Array values;
    for (const JsonValue &value : *array)
      values.push_back(value.copy());
    return values;
  }
  case Kind::Object: {
    json::Object members;
    for (const JsonMember &member : *object)
      members[member.key.str()] = member.value.copy();
    return members;
  }
  }
  return nullptr;
}

const JsonValue *JsonObject::get(llvm::StringRef key) const {
  const JsonMember *found =
      llvm::partition_point(members, [&](const JsonMember &member) { return member.key < key; });
  return found != members.end() && found->key == key ? &found->value : nullptr;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Each function takes a part off the front of the text; false: `problem` says why it cannot.
class Parser {
public:
  Parser(llvm::StringRef text, llvm::BumpPtrAllocator &memory)
      : begin(text.begin()), rest(text.begin()), end(text.end()), memory(memory) {}

  bool value(JsonValue &into);
  llvm::Error error() const;
  llvm::StringRef remaining() const { return {rest, size_t(end - rest)}; }
  void skipSpace() {
    while (rest != end && (*rest == ' ' || *rest == '\n' || *rest == '\t' || *rest == '\r'))
      ++rest;
  }

private:
  bool word(llvm::StringRef text, JsonValue meaning, JsonValue &into);
  bool number(JsonValue &into);
  bool string(llvm::StringRef &into);
  bool stringWithEscapes(const char *from, llvm::StringRef &into);
  bool escape(llvm::SmallVectorImpl<char> &into);
  bool unicode(llvm::SmallVectorImpl<char> &into);
  bool codeUnit(uint32_t &into);
  bool array(JsonValue &into);
  bool object(JsonValue &into);

  bool fail(const char *why) {
    problem = why;
    return false;
  }
  bool take(char c) {
    if (rest == end || *rest != c)
      return false;
    ++rest;
    return true;
  }
  template <typename T> llvm::ArrayRef<T> keep(llvm::ArrayRef<T> items) {
    return items.copy(memory);
  }

  const char *begin, *rest, *end;
  llvm::BumpPtrAllocator &memory;
  llvm::SmallVector<JsonValue, 16> values;   // of the arrays that are open
  llvm::SmallVector<JsonMember, 32> members; // of the objects that are open
  unsigned depth = 0;
  const char *problem = "";
};
} // namespace

llvm::Error Parser::error() const {
  return makeError(llvm::Twine("no JSON, at byte ") + llvm::Twine(rest - begin) + ": " + problem);
}

bool Parser::value(JsonValue &into) {
  if (rest == end)
    return fail("a value is missing");
  switch (*rest) {
  case '"': {
    ++rest;
    llvm::StringRef text;
    if (!string(text))
      return false;
    into = text;
    return true;
  }
  case '{':
    return object(into);
  case '[':
    return array(into);
  case 'n':
    return word("null", JsonValue(), into);
  case 't':
    return word("true", true, into);
  case 'f':
    return word("false", false, into);
  default:
    return number(into);
  }
}

bool Parser::word(llvm::StringRef text, JsonValue meaning, JsonValue &into) {
  if (!llvm::StringRef(rest, size_t(end - rest)).starts_with(text))
    return fail("this is no value");
  rest += text.size();
  into = meaning;
  return true;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static bool isOfNumber(char c) {
  return llvm::isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/// Few numbers have more digits than an int64_t always holds, or are no integers. Those are read as
/// the C library reads them.
bool Parser::number(JsonValue &into) {
  const char *first = rest;
  while (rest != end && isOfNumber(*rest))
    ++rest;
  llvm::StringRef text(first, size_t(rest - first));
  if (text.empty())
    return fail("this is no value");
  bool isNegative = text.front() == '-';
  llvm::StringRef digits = text.drop_front(isNegative);
  if (!digits.empty() && digits.size() <= 18 && llvm::all_of(digits, llvm::isDigit)) {
    int64_t sum = 0;
    for (char digit : digits)
      sum = sum * 10 + (digit - '0');
    into = isNegative ? -sum : sum;
    return true;
  }
  llvm::SmallString<32> terminated(text);
  const char *start = terminated.c_str(), *stop = start + terminated.size();
  char *read = nullptr;
  errno = 0;
  int64_t small = std::strtoll(start, &read, 10);
  if (read == stop && errno != ERANGE) {
    into = small;
    return true;
  }
  errno = 0;
  uint64_t large = isNegative ? 0 : std::strtoull(start, &read, 10);
  if (!isNegative && read == stop && errno != ERANGE) {
    into = large;
    return true;
  }
  into = std::strtod(start, &read);
  return read == stop || fail("this is no number");
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

/// The characters that end a run of plain ones: quotes, backslashes and control characters.
static constexpr auto kEndsRun = [] {
  std::array<bool, 256> ends = {};
  for (unsigned c = 0; c < 32; ++c)
    ends[c] = true;
  ends['"'] = ends['\\'] = true;
  return ends;
}();

/// After the opening quote.
bool Parser::string(llvm::StringRef &into) {
  const char *first = rest;
  while (rest != end && !kEndsRun[uint8_t(*rest)])
    ++rest;
  if (rest != end && *rest == '\\')
    return stringWithEscapes(first, into);
  into = llvm::StringRef(first, size_t(rest - first));
  return take('"') || fail("a string does not end on its line");
}

/// `from` is its first character, and `rest` the first backslash.
bool Parser::stringWithEscapes(const char *from, llvm::StringRef &into) {
  llvm::SmallString<256> text;
  while (true) {
    text.append(from, rest);
    if (take('"')) {
      into = text.str().copy(memory);
      return true;
    }
    if (!take('\\'))
      return fail("a string does not end on its line");
    if (!escape(text))
      return false;
    from = rest;
    while (rest != end && !kEndsRun[uint8_t(*rest)])
      ++rest;
  }
}

/// After the backslash.
bool Parser::escape(llvm::SmallVectorImpl<char> &into) {
  static constexpr llvm::StringLiteral kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (take('u'))
    return unicode(into);
  size_t letter = rest == end ? llvm::StringRef::npos : kLetters.find(*rest);
  if (letter == llvm::StringRef::npos)
    return fail("an unknown escape sequence");
  ++rest;
  into.push_back(kMeanings[letter]);
  return true;
}

bool Parser::codeUnit(uint32_t &into) {
  llvm::StringRef digits(rest, std::min<size_t>(4, size_t(end - rest)));
  if (digits.size() != 4 || !llvm::all_of(digits, llvm::isHexDigit) ||
      digits.getAsInteger(16, into))
    return fail("\\u needs four hex digits");
  rest += 4;
  return true;
}

static constexpr uint32_t kReplacement = 0xFFFD;

static bool isFirstSurrogate(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
static bool isSecondSurrogate(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

static void appendCharacter(uint32_t character, llvm::SmallVectorImpl<char> &into) {
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *stop = bytes;
  llvm::ConvertCodePointToUTF8(character, stop);
  into.append(bytes, stop);
}

/// After "\u". What is half of a surrogate pair becomes the replacement character.
bool Parser::unicode(llvm::SmallVectorImpl<char> &into) {
  uint32_t unit, second;
  if (!codeUnit(unit))
    return false;
  while (isFirstSurrogate(unit)) {
    if (end - rest < 2 || rest[0] != '\\' || rest[1] != 'u')
      break;
    rest += 2;
    if (!codeUnit(second))
      return false;
    if (isSecondSurrogate(second)) {
      appendCharacter(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00), into);
      return true;
    }
    appendCharacter(kReplacement, into);
    unit = second;
  }
  bool isHalf = isFirstSurrogate(unit) || isSecondSurrogate(unit);
  appendCharacter(isHalf ? kReplacement : unit, into);
  return true;
}

//===----------------------------------------------------------------------===//
// Arrays and objects
//===----------------------------------------------------------------------===//

bool Parser::array(JsonValue &into) {
  ++rest;
  if (++depth > kMaxJsonDepth)
    return fail("values nest too deeply");
  size_t first = values.size();
  skipSpace();
  for (bool isEnd = take(']'); !isEnd; isEnd = take(']')) {
    if (values.size() > first && !take(','))
      return fail("an array needs , or ]");
    skipSpace();
    JsonValue element;
    if (!value(element))
      return false;
    values.push_back(element);
    skipSpace();
  }
  into = new (memory) JsonArray(keep(llvm::ArrayRef(values).drop_front(first)));
  values.truncate(first);
  --depth;
  return true;
}

/// Sorts the members, of which those with the same key are the last one; returns their number.
static size_t sortMembers(llvm::MutableArrayRef<JsonMember> members) {
  llvm::SmallVector<std::pair<JsonMember, size_t>, 32> numbered;
  for (const JsonMember &member : members)
    numbered.emplace_back(member, numbered.size());
  llvm::sort(numbered, [](const auto &a, const auto &b) {
    int order = a.first.key.compare(b.first.key);
    return order != 0 ? order < 0 : a.second < b.second;
  });
  size_t count = 0;
  for (const auto &[member, number] : numbered) {
    if (count > 0 && members[count - 1].key == member.key)
      --count;
    members[count++] = member;
  }
  return count;
}

bool Parser::object(JsonValue &into) {
  ++rest;
  if (++depth > kMaxJsonDepth)
    return fail("values nest too deeply");
  size_t first = members.size();
  bool isSorted = true;
  skipSpace();
  for (bool isEnd = take('}'); !isEnd; isEnd = take('}')) {
    if (members.size() > first && !take(','))
      return fail("an object needs , or }");
    skipSpace();
    JsonMember member;
    if (!take('"'))
      return fail("a key is a string");
    if (!string(member.key))
      return false;
    skipSpace();
    if (!take(':'))
      return fail("a key needs a :");
    skipSpace();
    if (!value(member.value))
      return false;
    isSorted = isSorted && (members.size() == first || members.back().key < member.key);
    members.push_back(member);
    skipSpace();
  }
  llvm::MutableArrayRef<JsonMember> own = llvm::MutableArrayRef(members).drop_front(first);
  size_t count = isSorted ? own.size() : sortMembers(own);
  into = new (memory) JsonObject(keep(llvm::ArrayRef<JsonMember>(own.take_front(count))));
  members.truncate(first);
  --depth;
  return true;
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

llvm::Expected<JsonTree> JsonTree::takeFront(llvm::StringRef &text) {
  if (text.size() > UINT32_MAX) // lengths of strings have 32 bits
    return makeError("a text of more than 4 GiB is not read");
  JsonTree tree;
  Parser parser(text, tree.memory);
  parser.skipSpace();
  if (!parser.value(tree.value))
    return parser.error();
  llvm::StringRef taken = text.drop_back(parser.remaining().size());
  if (!json::isUTF8(taken))
    return makeError("no JSON: the text is not UTF-8");
  text = parser.remaining();
  return tree;
}

llvm::Expected<JsonTree> JsonTree::parse(llvm::StringRef text) {
  llvm::StringRef rest = text;
  llvm::Expected<JsonTree> tree = takeFront(rest);
  if (tree && !rest.ltrim(" \n\t\r").empty())
    return makeError("no JSON: something follows the value");
  return tree;
}
