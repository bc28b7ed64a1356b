//===- ProcessMemory.cpp - what addresses the process has -----------------===//
// See ProcessMemory.h.
//===----------------------------------------------------------------------===//
#include "ProcessMemory.h"
#include "tessera/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera {

/// Mappings seldom change while a kernel runs.
static constexpr unsigned kMostReads = 8;

bool ProcessMemory::allows(uint64_t address, uint64_t bytes, bool writes) {
  if (timesRead == 0)
    read();
  if (ranges.empty() || contains(address, bytes, writes))
    return true;
  if (timesRead >= kMostReads)
    return false;
  read();
  return contains(address, bytes, writes);
}

bool ProcessMemory::contains(uint64_t address, uint64_t bytes, bool writes) const {
  uint64_t end = address + bytes;
  if (end < address)
    return false;
  auto range = llvm::upper_bound(ranges, address, [](uint64_t at, const Range &each) {
    return at < each.end; // the first that ends behind the address
  });
  // An access may reach from one mapping into the next.
  for (; range != ranges.end() && range->begin <= address; ++range) {
    if (!(writes ? range->isWritable : range->isReadable))
      return false;
    if (end <= range->end)
      return true;
    address = range->end;
  }
  return false;
}

void ProcessMemory::read() {
  ++timesRead;
  ranges.clear();
  llvm::Expected<std::string> text = readFile("/proc/self/maps");
  if (!text) {
    llvm::consumeError(text.takeError());
    return;
  }
  // 7f1c2a000000-7f1c2a021000 rw-p 00000000 00:00 0
  for (llvm::StringRef line : llvm::split(*text, '\n')) {
    auto [place, rest] = line.split(' ');
    auto [begin, end] = place.split('-');
    Range range{0, 0, rest.starts_with("r"), rest.size() > 1 && rest[1] == 'w'};
    if (!begin.getAsInteger(16, range.begin) && !end.getAsInteger(16, range.end))
      ranges.push_back(range);
  }
}

} // namespace tessera
