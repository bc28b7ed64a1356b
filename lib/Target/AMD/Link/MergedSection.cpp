//===- MergedSection.cpp - store equal constants once ---------------------===//
// lld distributes the entries over 32 tables by their hash, to fill the tables in
// parallel, and writes one table after the other. The order here is the same, so
// that the results can be compared byte for byte.
//===----------------------------------------------------------------------===//
#include "MergedSection.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/StringTableBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <array>

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

static constexpr unsigned kNumTables = 32;

/// lld keeps the lower half of the hash, whose upper bits choose the table. The terminator of a
/// string is not part of it.
static unsigned tableOf(ArrayRef<uint8_t> entry) {
  return uint32_t(xxh3_64bits(entry)) >> (32 - Log2_32(kNumTables));
}

/// Returns the size of the string at the beginning of `bytes` with its terminator, a character of
/// `width` zero bytes; 0 if there is none.
static size_t stringSize(ArrayRef<uint8_t> bytes, uint64_t width) {
  for (uint64_t at = 0; at + width <= bytes.size(); at += width)
    if (all_of(bytes.slice(at, width), [](uint8_t byte) { return byte == 0; }))
      return at + width;
  return 0;
}

Expected<MergedSection> MergedSection::create(const LinkSection &section) {
  MergedSection merged;
  std::array<std::optional<StringTableBuilder>, kNumTables> tables;
  std::vector<unsigned> chosen;
  for (ArrayRef<uint8_t> rest = section.contents; !rest.empty();) {
    bool isString = section.flags & ELF::SHF_STRINGS;
    size_t size = isString ? stringSize(rest, section.entrySize) : section.entrySize;
    if (size == 0)
      return makeError("section '" + section.name + "' ends in a string without an end");
    ArrayRef<uint8_t> entry = rest.take_front(size);
    unsigned table = tableOf(isString ? entry.drop_back(section.entrySize) : entry);
    if (!tables[table])
      tables[table].emplace(StringTableBuilder::RAW, Align(section.align));
    uint64_t from = section.contents.size() - rest.size();
    merged.entries.push_back({from, size, tables[table]->add(toStringRef(entry))});
    chosen.push_back(table);
    rest = rest.drop_front(size);
  }
  std::array<uint64_t, kNumTables> starts = {};
  for (auto [table, start] : zip(tables, starts)) {
    if (!table)
      continue;
    table->finalizeInOrder();
    start = alignTo(merged.bytes.size(), section.align);
    merged.bytes.resize(start + table->getSize());
    table->write(reinterpret_cast<uint8_t *>(merged.bytes.data() + start));
  }
  for (auto [entry, table] : zip(merged.entries, chosen))
    entry.to += starts[table];
  return merged;
}

std::optional<uint64_t> MergedSection::find(uint64_t offset) const {
  for (const Entry &entry : entries)
    if (offset >= entry.from && offset - entry.from < entry.size)
      return entry.to + (offset - entry.from);
  return std::nullopt;
}
