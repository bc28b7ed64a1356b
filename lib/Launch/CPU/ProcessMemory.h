//===- ProcessMemory.h - what addresses the process has -------------------===//
// Where the process may read and write, as the kernel of the system says
// (/proc/self/maps). For pointers that a kernel loads from memory: nobody says
// which allocation they belong to, but an access where there is no memory at
// all would end the process.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

class ProcessMemory {
public:
  /// Returns whether all of the bytes may be read, or written. True if nobody can tell. Cost: a
  /// search in the list of mappings, which is read at the first call, and again, a few times, for
  /// addresses that are not in it.
  bool allows(uint64_t address, uint64_t bytes, bool writes);

private:
  struct Range {
    uint64_t begin, end;
    bool isReadable, isWritable;
  };
  bool contains(uint64_t address, uint64_t bytes, bool writes) const;
  void read();

  std::vector<Range> ranges; // in the order of addresses
  unsigned timesRead = 0;
};

} // namespace tessera
