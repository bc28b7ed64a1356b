//===- DynamicTables.cpp - symbol lookup tables of a code object ----------===//
#include "DynamicTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;
using namespace tessera::amd;

uint32_t StringTable::add(StringRef string) {
  for (const auto &[other, offset] : known)
    if (other == string)
      return offset;
  uint32_t offset = bytes.size();
  known.emplace_back(string.str(), offset);
  bytes += string;
  bytes.push_back('\0');
  return offset;
}

/// lld aims at four symbols in a bucket.
static uint32_t countBuckets(size_t numSymbols) { return std::max<size_t>(numSymbols / 4, 1); }

static uint32_t bucketOf(StringRef name, size_t numSymbols) {
  return object::hashGnu(name) % countBuckets(numSymbols);
}

std::vector<unsigned> tessera::amd::orderForGnuHash(ArrayRef<StringRef> names) {
  std::vector<unsigned> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  sort(order, [&](unsigned a, unsigned b) {
    return std::pair(bucketOf(names[a], names.size()), a) <
           std::pair(bucketOf(names[b], names.size()), b);
  });
  return order;
}

std::string tessera::amd::writeGnuHash(ArrayRef<StringRef> names) {
  constexpr unsigned wordBits = 64, secondShift = 26, bitsPerSymbol = 12;
  uint32_t numBuckets = countBuckets(names.size());
  uint64_t numBits = names.size() * bitsPerSymbol;
  uint32_t numWords = numBits == 0 ? 1 : NextPowerOf2(numBits / wordBits);
  std::vector<uint64_t> filter(numWords);
  std::vector<uint32_t> buckets(numBuckets), chain;
  for (auto [index, name] : enumerate(names)) {
    uint32_t hash = object::hashGnu(name);
    filter[(hash / wordBits) % numWords] |= uint64_t(1) << (hash % wordBits);
    filter[(hash / wordBits) % numWords] |= uint64_t(1) << ((hash >> secondShift) % wordBits);
    uint32_t bucket = hash % numBuckets;
    if (buckets[bucket] == 0)
      buckets[bucket] = index + 1;
    bool isLast = index + 1 == names.size() || bucketOf(names[index + 1], names.size()) != bucket;
    chain.push_back((hash & ~1u) | isLast);
  }
  std::string bytes;
  for (uint32_t field : {numBuckets, uint32_t(1), numWords, uint32_t(secondShift)})
    appendInt(bytes, field);
  for (uint64_t word : filter)
    appendInt(bytes, word);
  for (uint32_t bucket : buckets)
    appendInt(bytes, bucket);
  for (uint32_t hash : chain)
    appendInt(bytes, hash);
  return bytes;
}

std::string tessera::amd::writeSysVHash(ArrayRef<StringRef> names) {
  uint32_t count = names.size() + 1; // the null symbol too
  std::vector<uint32_t> buckets(count), chains(count);
  for (auto [index, name] : enumerate(names)) {
    uint32_t &bucket = buckets[object::hashSysV(name) % count];
    chains[index + 1] = bucket;
    bucket = index + 1;
  }
  std::string bytes;
  appendInt(bytes, count);
  appendInt(bytes, count);
  for (uint32_t bucket : buckets)
    appendInt(bytes, bucket);
  for (uint32_t next : chains)
    appendInt(bytes, next);
  return bytes;
}
