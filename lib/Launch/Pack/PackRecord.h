//===- PackRecord.h - the part of a record that the library of packs needs ===//
// Reads the JSON of docs/abi.md without LLVM and without allocating: views into the text.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

struct PackParameter {
  std::string_view type; // "*fp32", "i32", "constexpr"
  std::string_view constant;
  bool hasConstant = false;
  uint32_t divisibility = 1;
};

struct PackRecord {
  static constexpr uint32_t kMaxParameters = 256;
  std::string_view symbol;
  PackParameter parameters[kMaxParameters];
  uint32_t count = 0;
  bool hasHidden = false; // arguments that only a launcher of a GPU provides

  /// False if the text is no record, or has more than the library can launch.
  bool read(std::string_view text);
};

} // namespace tessera
