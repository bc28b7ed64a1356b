//===- Hashing.h - content hashes -----------------------------------------===//
// BLAKE3 with 256 bits, over fields rather than bytes: each field is preceded
// by its length, so ("ab", "c") and ("a", "bc") differ.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include <array>
#include <string>

namespace tessera {

using ContentHash = std::array<uint8_t, 32>;

class FieldHasher {
public:
  FieldHasher &add(llvm::StringRef field);
  FieldHasher &add(uint64_t number);
  ContentHash finish() const;

private:
  llvm::BLAKE3 state;
};

/// Returns the hash of the bytes alone.
ContentHash hashBytes(llvm::StringRef bytes);

/// 64 lower-case hex digits.
std::string toHex(const ContentHash &hash);

} // namespace tessera
