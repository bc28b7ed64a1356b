//===- DynamicTables.h - symbol lookup tables of a code object ------------===//
// The tables by which a loader finds a symbol by its name: .dynstr, .hash (System V
// ABI, "Hash Table") and .gnu.hash, which also has a Bloom filter and wants symbols
// in the order of their buckets. All are as lld writes them.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::amd {

/// Appends a number to a section's contents, least significant byte first.
template <typename Int> void appendInt(std::string &bytes, Int value) {
  for (unsigned i = 0; i < sizeof(Int); ++i)
    bytes.push_back(char(uint64_t(value) >> (8 * i)));
}

/// Strings one after the other; equal ones are stored once.
class StringTable {
public:
  /// Returns the offset of `string` in the table.
  uint32_t add(llvm::StringRef string);
  const std::string &contents() const { return bytes; }

private:
  std::string bytes = std::string(1, '\0');
  std::vector<std::pair<std::string, uint32_t>> known;
};

/// Returns the order in which .gnu.hash wants the symbols of these names.
std::vector<unsigned> orderForGnuHash(llvm::ArrayRef<llvm::StringRef> names);
/// The contents of .gnu.hash for symbols in that order, which follow one null symbol.
std::string writeGnuHash(llvm::ArrayRef<llvm::StringRef> names);
/// The contents of .hash for the same symbols.
std::string writeSysVHash(llvm::ArrayRef<llvm::StringRef> names);

} // namespace tessera::amd
