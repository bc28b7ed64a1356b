//===- Hashing.cpp - content hashes ---------------------------------------===//
#include "tessera/Support/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace tessera {

static ContentHash finalHash(const llvm::BLAKE3 &state) {
  llvm::BLAKE3 copy = state; // finishing must not change the running state
  llvm::BLAKE3Result<32> result = copy.final<32>();
  ContentHash hash;
  std::copy(result.begin(), result.end(), hash.begin());
  return hash;
}

static void addNumber(llvm::BLAKE3 &state, uint64_t number) {
  uint8_t bytes[8];
  llvm::support::endian::write64le(bytes, number);
  state.update(llvm::ArrayRef<uint8_t>(bytes, 8));
}

FieldHasher &FieldHasher::add(llvm::StringRef field) {
  addNumber(state, field.size());
  state.update(field);
  return *this;
}

FieldHasher &FieldHasher::add(uint64_t number) {
  addNumber(state, number);
  return *this;
}

ContentHash FieldHasher::finish() const { return finalHash(state); }

ContentHash hashBytes(llvm::StringRef bytes) {
  llvm::BLAKE3 state;
  state.update(bytes);
  return finalHash(state);
}

std::string toHex(const ContentHash &hash) { return llvm::toHex(hash, /*LowerCase=*/true); }

} // namespace tessera
