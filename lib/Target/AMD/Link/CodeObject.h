//===- CodeObject.h - sections, segments and bytes of a code object -------===//
// The linker fills output sections; this places them in memory and in the file as
// lld does, and writes the file:
//
//   R    headers, .note .dynsym .gnu.hash .hash .dynstr .rela.dyn .rodata
//   RX   .text
//   RW   .data.rel.ro .dynamic .relro_padding     read-only after loading
//   RW   .data .bss
//   --   debug sections, .symtab .shstrtab .strtab, which are not loaded
//
// The segments follow one another in the file without gaps, and each begins on a
// page of its own in memory.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::amd {

/// The order of sections; a segment for each letter of the table above.
enum class SectionRank { Note, Table, Constant, Code, Relro, RelroPadding, Data, Zeros, NotLoaded };

struct OutputSection {
  std::string name;
  SectionRank rank;
  uint32_t type;
  uint64_t flags = 0;
  uint64_t align = 1;
  uint64_t entrySize = 0;
  std::string contents = {};
  uint64_t size = 0; // in memory; of zeros, `contents` has none
  const OutputSection *link = nullptr;
  uint32_t info = 0;
  // Assigned by CodeObject:
  unsigned index = 0;
  uint64_t address = 0, offset = 0;
};

class CodeObject {
public:
  /// Adds a section. References stay valid.
  OutputSection &add(OutputSection section);
  /// The section of this name; null if there is none.
  OutputSection *find(const std::string &name) const;
  const std::vector<std::unique_ptr<OutputSection>> &sections() const { return all; }

  /// Orders the sections that are loaded, and gives each an index, an address and an offset. Sizes
  /// must be final; contents need not be.
  void layOut();
  /// Writes the file, with the sections that are not loaded behind the others. The numbers are
  /// those of the object file's header; `flags` names the chip.
  std::string write(uint8_t osABI, uint8_t abiVersion, uint32_t flags);

private:
  /// A program header. The sections from `first` on up to `last` are in it; null: none.
  struct Segment {
    uint32_t type, flags;
    uint64_t align;
    const OutputSection *first = nullptr, *last = nullptr;
  };
  void chooseSegments();
  void assignAddresses();
  std::string writeSegments() const;

  std::vector<std::unique_ptr<OutputSection>> all;
  std::vector<Segment> segments;
  uint64_t loadedEnd = 0; // in the file
};

} // namespace tessera::amd
