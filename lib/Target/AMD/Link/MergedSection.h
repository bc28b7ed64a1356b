//===- MergedSection.h - store equal constants once -----------------------===//
// Sections of constants (.rodata.cst16) and of strings (.rodata.str1.1) consist of
// entries; lld stores equal ones once, in an order of its own.
//===----------------------------------------------------------------------===//
#pragma once

#include "LinkInput.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::amd {

class MergedSection {
public:
  /// Merges the entries of a mergeable section.
  static llvm::Expected<MergedSection> create(const LinkSection &section);

  const std::string &contents() const { return bytes; }
  /// Where a byte of the section is in the contents; nothing if the section has no such byte.
  std::optional<uint64_t> find(uint64_t offset) const;

private:
  struct Entry {
    uint64_t from, size, to;
  };
  std::vector<Entry> entries;
  std::string bytes;
};

} // namespace tessera::amd
