//===- Arena.cpp - slabs and the table of interned strings ----------------===//
#include "tessera/Source/Arena.h"
#include <algorithm>
#include <cstring>

namespace tessera {

static constexpr size_t kFirstSlab = 16 << 10;
static constexpr size_t kLargestSlab = 1 << 20;

void *Arena::allocateSlow(size_t size, size_t align) {
  size_t slab = std::min(kLargestSlab, kFirstSlab << std::min<size_t>(slabs.size(), 10));
  if (size + align > slab / 4) {
    // Large requests get a slab of their own; the current one stays in use.
    slabs.push_back(std::make_unique_for_overwrite<std::byte[]>(size + align));
    reserved += size + align;
    uintptr_t start = reinterpret_cast<uintptr_t>(slabs.back().get());
    return reinterpret_cast<void *>((start + align - 1) & ~(uintptr_t(align) - 1));
  }
  slabs.push_back(std::make_unique_for_overwrite<std::byte[]>(slab));
  reserved += slab;
  cursor = reinterpret_cast<uintptr_t>(slabs.back().get());
  limit = cursor + slab;
  return allocate(size, align);
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty())
    return {};
  char *data = static_cast<char *>(allocate(text.size(), 1));
  std::memcpy(data, text.data(), text.size());
  return {data, text.size()};
}

static size_t hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash ^ (hash >> 29);
}

std::string_view Arena::intern(std::string_view text) {
  if (text.empty())
    return {};
  if (2 * (interned + 1) > internTable.size())
    growInternTable();
  size_t mask = internTable.size() - 1;
  for (size_t i = hashOf(text) & mask;; i = (i + 1) & mask) {
    if (internTable[i].empty()) {
      ++interned;
      return internTable[i] = copy(text);
    }
    if (internTable[i] == text)
      return internTable[i];
  }
}

void Arena::growInternTable() {
  std::vector<std::string_view> old(std::max<size_t>(256, 2 * internTable.size()));
  old.swap(internTable);
  size_t mask = internTable.size() - 1;
  for (std::string_view text : old) {
    if (text.empty())
      continue;
    size_t i = hashOf(text) & mask;
    while (!internTable[i].empty())
      i = (i + 1) & mask;
    internTable[i] = text;
  }
}

} // namespace tessera
