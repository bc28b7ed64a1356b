//===- EncodingText.h - reads the types in the test vectors ---------------===//
// Just enough of the textual form to test the layout library without the dialect:
//   tensor<32x32xf32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{...}>}>>
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera::test {

struct Encoding;

/// A number, a list of values, or an encoding.
struct Value {
  int64_t number = 0;
  std::vector<Value> list;
  std::shared_ptr<Encoding> encoding;
};

/// #ttg.<name><{<fields>}>
struct Encoding {
  std::string name;
  std::map<std::string, Value> fields;

  bool has(const std::string &field) const { return fields.count(field) != 0; }
  int64_t number(const std::string &field) const;
  llvm::SmallVector<unsigned> numbers(const std::string &field) const;
  llvm::SmallVector<BasisVector> vectors(const std::string &field) const;
  const Encoding &parent() const { return *fields.at("parent").encoding; }
};

struct EncodedType {
  llvm::SmallVector<int64_t> shape;
  Encoding encoding;
};

/// Fails the running test if the text is not understood.
EncodedType parseEncodedType(llvm::StringRef text);

BlockedParams blockedParams(const Encoding &encoding);
NvidiaMmaParams mmaParams(const Encoding &encoding);

/// The layout of an encoding for a shape, or why it is refused.
struct LayoutOrReason {
  std::optional<LinearLayout> layout;
  std::string reason;
};
LayoutOrReason layoutOf(const Encoding &encoding, llvm::ArrayRef<int64_t> shape);

} // namespace tessera::test
