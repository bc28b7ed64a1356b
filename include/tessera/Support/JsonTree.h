//===- JsonTree.h - JSON to be read once ----------------------------------===//
// A tree of JSON values that is quick to make and cannot be changed. It accepts the same
// texts as parseJson (Json.h), which takes four times as long, because each object there
// is a hash map. Strings are parts of the text, unless they have escapes: the text must
// outlive the tree.
//
//   llvm::Expected<JsonTree> tree = JsonTree::parse(text);
//   if (const JsonObject *object = tree->root().getAsObject())
//     if (std::optional<llvm::StringRef> name = object->getString("name")) ...
//
// Cost: about 2 us per KiB; up to 16 bytes of memory for each byte of the text.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace tessera {

class JsonObject;
class JsonValue;
using JsonArray = llvm::ArrayRef<JsonValue>;

/// The readers give what those of llvm::json::Value give.
class JsonValue {
public:
  JsonValue() = default; // null
  JsonValue(bool truth) : kind(Kind::Boolean), truth(truth) {}
  JsonValue(int64_t number) : kind(Kind::Signed), number(number) {}
  /// For numbers that no int64_t holds.
  JsonValue(uint64_t number) : kind(Kind::Unsigned), large(number) {}
  JsonValue(double number) : kind(Kind::Double), real(number) {}
  JsonValue(llvm::StringRef text)
      : kind(Kind::String), length(uint32_t(text.size())), text(text.data()) {}
  JsonValue(const JsonArray *array) : kind(Kind::Array), array(array) {}
  JsonValue(const JsonObject *object) : kind(Kind::Object), object(object) {}

  bool isNull() const { return kind == Kind::Null; }
  std::optional<bool> getAsBoolean() const {
    return kind == Kind::Boolean ? std::optional(truth) : std::nullopt;
  }
  /// Also of 2.0 and 1e3.
  std::optional<int64_t> getAsInteger() const;
  std::optional<llvm::StringRef> getAsString() const {
    return kind == Kind::String ? std::optional(llvm::StringRef(text, length)) : std::nullopt;
  }
  const JsonArray *getAsArray() const { return kind == Kind::Array ? array : nullptr; }
  const JsonObject *getAsObject() const { return kind == Kind::Object ? object : nullptr; }

  /// A copy that can be changed, and printed.
  llvm::json::Value copy() const;

private:
  enum class Kind : uint32_t { Null, Boolean, Signed, Unsigned, Double, String, Array, Object };
  Kind kind = Kind::Null;
  uint32_t length = 0; // of a string
  union {
    bool truth;
    int64_t number = 0;
    uint64_t large;
    double real;
    const char *text;
    const JsonArray *array;
    const JsonObject *object;
  };
};

struct JsonMember {
  llvm::StringRef key;
  JsonValue value;
};

/// The members in the order of their keys, each key once: of several the last counts.
class JsonObject {
public:
  explicit JsonObject(llvm::ArrayRef<JsonMember> members) : members(members) {}

  size_t size() const { return members.size(); }
  const JsonMember *begin() const { return members.begin(); }
  const JsonMember *end() const { return members.end(); }

  const JsonValue *get(llvm::StringRef key) const; // null if there is none
  std::optional<int64_t> getInteger(llvm::StringRef key) const {
    const JsonValue *value = get(key);
    return value ? value->getAsInteger() : std::nullopt;
  }
  std::optional<llvm::StringRef> getString(llvm::StringRef key) const {
    const JsonValue *value = get(key);
    return value ? value->getAsString() : std::nullopt;
  }
  const JsonArray *getArray(llvm::StringRef key) const {
    const JsonValue *value = get(key);
    return value ? value->getAsArray() : nullptr;
  }

private:
  llvm::ArrayRef<JsonMember> members;
};

class JsonTree {
public:
  static llvm::Expected<JsonTree> parse(llvm::StringRef text);
  /// Takes one value off the front of the text, which may go on in any way.
  static llvm::Expected<JsonTree> takeFront(llvm::StringRef &text);
  const JsonValue &root() const { return value; }

private:
  JsonTree() = default;
  llvm::BumpPtrAllocator memory; // of all objects, arrays and strings with escapes
  JsonValue value;
};

} // namespace tessera
