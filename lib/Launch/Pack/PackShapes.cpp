//===- PackShapes.cpp - variants of a kernel, by what they require --------===//
#include "PackShapes.h"
#include <cstring>

using namespace tessera;
using Kind = ShapeParameter::Kind;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// 64, -1, True, None; any other literal is no number.
static ParameterValue readLiteral(std::string_view text, std::string_view type) {
  ParameterValue found{{Kind::Integer, type, 1}, 0};
  if (text == "None")
    return found;
  if (text == "True" || text == "False") {
    found.parameter.kind = Kind::Truth;
    found.constant = text == "True";
    return found;
  }
  bool isNegative = !text.empty() && text[0] == '-';
  text.remove_prefix(isNegative);
  bool isNumber = !text.empty();
  for (char c : text) {
    isNumber = isNumber && c >= '0' && c <= '9';
    found.constant = found.constant * 10 + uint64_t(c - '0');
  }
  found.constant = !isNumber ? 0 : isNegative ? 0 - found.constant : found.constant;
  found.parameter.kind = isNumber ? Kind::Integer : Kind::Other;
  return found;
}

static bool isName(std::string_view text) {
  for (char c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return !text.empty() && text[0] >= 'a';
}

/// "*fp32:16S", "i32", "i32:1", "3.0", "'text'"; false for anything else.
static bool readEntry(std::string_view text, ParameterValue &value) {
  std::string_view type = text.substr(0, text.find(':')), name = type, hint = text;
  hint.remove_prefix(type.size() < text.size() ? type.size() + 1 : text.size());
  bool isPointer = !type.empty() && type[0] == '*';
  name.remove_prefix(isPointer);
  if (isName(name)) {
    if (isPointer && !hint.empty() && hint.back() == 'S')
      hint.remove_suffix(1);
    bool isPromise = hint == "16";
    if (hint == "1" && !isPointer) {
      value = {{Kind::Integer, type, 1}, 1};
      return true;
    }
    value = {{Kind::Passed, type, isPromise ? 16u : 1u}, 0};
    return isPromise || hint.empty();
  }
  char first = text.empty() ? ' ' : text[0];
  bool isText = text.size() >= 2 && first == '\'' && text.back() == '\'';
  bool isNumber = first == '-' || (first >= '0' && first <= '9');
  if (!isText && !isNumber && text != "None" && text != "True" && text != "False")
    return false;
  value = readLiteral(text, "");
  return true;
}

bool tessera::readSignature(std::string_view signature, ParameterValue *values, uint32_t &count) {
  count = 0;
  while (!signature.empty()) {
    size_t end = signature.find(',');
    std::string_view entry = signature.substr(0, end);
    signature.remove_prefix(end == signature.npos ? signature.size() : end + 1);
    bool isLast = end == signature.npos;
    while (!entry.empty() && entry.front() == ' ')
      entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ')
      entry.remove_suffix(1);
    if (count == PackRecord::kMaxParameters || !readEntry(entry, values[count++]))
      return false;
    if (!isLast && signature.empty())
      return false; // a comma at the end
  }
  return true;
}

void tessera::readParameters(const PackRecord &record, ParameterValue *values) {
  for (uint32_t i = 0; i < record.parameters.size(); ++i) {
    const PackParameter &parameter = record.parameters[i];
    if (parameter.hasConstant)
      values[i] =
          readLiteral(parameter.constant, parameter.type == "constexpr" ? "" : parameter.type);
    else
      values[i] = {{Kind::Passed, parameter.type, parameter.divisibility}, 0};
  }
}

//===----------------------------------------------------------------------===//
// Filling a shape
//===----------------------------------------------------------------------===//

PackShape::~PackShape() {
  std::free(heads);
  std::free(static_cast<void *>(states));
}

bool PackShape::open(const ParameterValue *values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!parameters.add(values[i].parameter))
      return false;
    constantCount += values[i].parameter.isConstant();
  }
  return true;
}

bool PackShape::isOf(const ParameterValue *values, uint32_t count) const {
  if (count != parameters.size())
    return false;
  for (uint32_t i = 0; i < count; ++i) {
    const ShapeParameter &own = parameters[i], &other = values[i].parameter;
    if (own.kind != other.kind || own.divisibility != other.divisibility || own.type != other.type)
      return false;
  }
  return true;
}

bool PackShape::add(const ParameterValue *values, uint32_t number, CodeFit fit) {
  for (uint32_t i = 0; i < parameters.size(); ++i)
    if (values[i].parameter.isConstant() && !constants.add(values[i].constant))
      return false;
  return members.add({number, fit, 0});
}

static uint64_t hashOf(const uint64_t *constants, uint32_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < count; ++i) {
    hash = (hash ^ constants[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

bool PackShape::close() {
  uint32_t buckets = 1;
  while (buckets < members.size() && buckets < 1u << 30)
    buckets *= 2;
  mask = buckets - 1;
  heads = static_cast<uint32_t *>(std::calloc(buckets, sizeof(uint32_t)));
  void *memory = std::calloc(members.size() + size_t(1), sizeof(std::atomic<uint8_t>));
  states = static_cast<std::atomic<uint8_t> *>(memory);
  if (!heads || !states)
    return false;
  for (uint32_t place = members.size(); place-- > 0;) { // so that chains are in order
    uint32_t &head = heads[hashOf(constantsOf(place), constantCount) & mask];
    members[place].next = head;
    head = place + 1;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The value of an integer or a pointer; false for other types.
static bool readValue(std::string_view type, const void *value, uint64_t &number) {
  bool isSigned = false;
  unsigned bytes = integerBytes(type, isSigned);
  if (bytes)
    number = uint64_t(readInteger(value, bytes, isSigned));
  return bytes != 0;
}

void PackShape::match(const void *const *values, const PackList<std::string_view> &types,
                      Match &found) const {
  found.isPossible = found.hasWildcard = false;
  found.promises = 0;
  uint32_t constant = 0;
  for (uint32_t i = 0; i < parameters.size(); ++i) {
    const ShapeParameter &own = parameters[i];
    uint64_t number = 0;
    if (own.isConstant()) {
      bool isGiven = found.isGiven[constant] = values[i] != nullptr;
      found.hasWildcard |= !isGiven;
      if (isGiven) {
        if (own.kind == Kind::Other ||
            !readValue(own.type.empty() ? types[i] : own.type, values[i], number))
          return;
        found.promises += 2;
      }
      found.constants[constant++] = own.kind == Kind::Truth ? number != 0 : number;
      continue;
    }
    if (!values[i])
      return;
    if (own.divisibility <= 1 || !readValue(own.type, values[i], number))
      continue;
    if (number % own.divisibility != 0)
      return;
    ++found.promises;
  }
  found.isPossible = true;
}

uint32_t PackShape::first(const Match &match) const {
  if (match.hasWildcard)
    return 0;
  uint32_t link = heads[hashOf(match.constants, constantCount) & mask];
  return link ? link - 1 : size();
}

uint32_t PackShape::after(uint32_t place, const Match &match) const {
  if (match.hasWildcard)
    return place + 1;
  return members[place].next ? members[place].next - 1 : size();
}

bool PackShape::fits(uint32_t place, const Match &match) const {
  const uint64_t *own = constantsOf(place);
  for (uint32_t i = 0; i < constantCount; ++i)
    if (match.isGiven[i] && own[i] != match.constants[i])
      return false;
  return true;
}
