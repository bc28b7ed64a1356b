//===- CodeObject.cpp - place and write the sections of a code object -----===//
#include "CodeObject.h"
#include "DynamicTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tessera::amd;

static constexpr uint64_t kPageBytes = 4096;
static constexpr uint64_t kHeaderBytes = 64, kProgramHeaderBytes = 56, kSectionHeaderBytes = 64;

OutputSection &CodeObject::add(OutputSection section) {
  return *all.emplace_back(std::make_unique<OutputSection>(std::move(section)));
}

OutputSection *CodeObject::find(const std::string &name) const {
  for (const std::unique_ptr<OutputSection> &section : all)
    if (section->name == name)
      return section.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Sections of the same number share a segment.
static unsigned loadOf(const OutputSection &section) {
  switch (section.rank) {
  case SectionRank::Note:
  case SectionRank::Table:
  case SectionRank::Constant:
    return 0;
  case SectionRank::Code:
    return 1;
  case SectionRank::Relro:
  case SectionRank::RelroPadding:
    return 2;
  case SectionRank::Data:
  case SectionRank::Zeros:
    return 3;
  case SectionRank::NotLoaded:
    break;
  }
  return 4;
}

static uint32_t permissionsOf(const OutputSection &section) {
  return ELF::PF_R | (section.flags & ELF::SHF_WRITE ? ELF::PF_W : 0u) |
         (section.flags & ELF::SHF_EXECINSTR ? ELF::PF_X : 0u);
}

/// In lld's order, which loaders and tools are used to.
void CodeObject::chooseSegments() {
  segments.push_back({ELF::PT_PHDR, ELF::PF_R, 8});
  for (const std::unique_ptr<OutputSection> &section : all) {
    if (section->rank == SectionRank::NotLoaded)
      break;
    Segment &last = segments.back();
    if (last.type == ELF::PT_LOAD && loadOf(*last.first) == loadOf(*section)) {
      last.last = section.get();
      last.align = std::max(last.align, section->align);
      continue;
    }
    segments.push_back({ELF::PT_LOAD, permissionsOf(*section), std::max(section->align, kPageBytes),
                        section.get(), section.get()});
  }
  const OutputSection *dynamic = find(".dynamic");
  segments.push_back({ELF::PT_DYNAMIC, permissionsOf(*dynamic), dynamic->align, dynamic, dynamic});
  const OutputSection *firstRelro =
      find_if(all, [](const auto &section) { return section->rank == SectionRank::Relro; })->get();
  segments.push_back({ELF::PT_GNU_RELRO, ELF::PF_R, 1, firstRelro, find(".relro_padding")});
  segments.push_back({ELF::PT_GNU_STACK, ELF::PF_R | ELF::PF_W, 0});
  for (const std::unique_ptr<OutputSection> &section : all) {
    if (section->rank != SectionRank::Note)
      break;
    Segment &last = segments.back();
    if (last.type == ELF::PT_NOTE && last.align == section->align)
      last.last = section.get();
    else
      segments.push_back({ELF::PT_NOTE, ELF::PF_R, section->align, section.get(), section.get()});
  }
}

void CodeObject::assignAddresses() {
  uint64_t address = kHeaderBytes + kProgramHeaderBytes * segments.size();
  uint64_t offset = address;
  for (const Segment &segment : segments) {
    if (segment.type != ELF::PT_LOAD)
      continue;
    const OutputSection *first = segment.first;
    // The next page, at the place in it where the file continues.
    if (loadOf(*first) != 0)
      address = alignTo(address, kPageBytes) + address % kPageBytes;
    bool isInside = false;
    for (const std::unique_ptr<OutputSection> &section : all) {
      isInside |= section.get() == first;
      if (!isInside)
        continue;
      address = alignTo(address, section->align);
      section->address = address;
      if (section->rank == SectionRank::RelroPadding) {
        // Protects the rest of the page. The next segment does not count it.
        section->size = alignTo(address, kPageBytes) - address;
        section->offset = offset;
      } else {
        // The file holds every page at a congruent offset, and the first ones at their addresses.
        section->offset = section.get() == first ? offset + (address - offset) % segment.align
                                                 : first->offset + (address - first->address);
        address += section->size;
        if (section->type != ELF::SHT_NOBITS)
          offset = section->offset + section->size;
      }
      if (section.get() == segment.last)
        break;
    }
  }
  loadedEnd = offset;
}

void CodeObject::layOut() {
  auto number = [&] {
    for (auto [index, section] : enumerate(all))
      section->index = index + 1; // the first of a file is empty
  };
  number();
  using Pointer = std::unique_ptr<OutputSection>;
  sort(all, [](const Pointer &a, const Pointer &b) {
    return std::pair(a->rank, a->index) < std::pair(b->rank, b->index);
  });
  number();
  chooseSegments();
  assignAddresses();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string CodeObject::writeSegments() const {
  std::string bytes;
  for (const Segment &segment : segments) {
    uint64_t offset = 0, address = 0, fileBytes = 0, memoryBytes = 0;
    if (segment.type == ELF::PT_PHDR) {
      offset = address = kHeaderBytes;
      fileBytes = memoryBytes = kProgramHeaderBytes * segments.size();
    } else if (segment.first) {
      bool hasHeaders = segment.type == ELF::PT_LOAD && loadOf(*segment.first) == 0;
      offset = hasHeaders ? 0 : segment.first->offset;
      address = hasHeaders ? 0 : segment.first->address;
      memoryBytes = segment.last->address + segment.last->size - address;
      for (const std::unique_ptr<OutputSection> &section : all)
        if (section->index >= segment.first->index && section->index <= segment.last->index &&
            section->type != ELF::SHT_NOBITS)
          fileBytes = section->offset + section->size - offset;
    }
    appendInt(bytes, segment.type);
    appendInt(bytes, segment.flags);
    for (uint64_t field : {offset, address, address, fileBytes, memoryBytes, segment.align})
      appendInt(bytes, field);
  }
  return bytes;
}

static void writeSectionHeader(std::string &bytes, const OutputSection &section, uint32_t name) {
  appendInt(bytes, name);
  appendInt(bytes, section.type);
  for (uint64_t field : {section.flags, section.address, section.offset, section.size})
    appendInt(bytes, field);
  appendInt(bytes, uint32_t(section.link ? section.link->index : 0));
  appendInt(bytes, section.info);
  appendInt(bytes, section.align);
  appendInt(bytes, section.entrySize);
}

std::string CodeObject::write(uint8_t osABI, uint8_t abiVersion, uint32_t flags) {
  StringTable names;
  std::vector<uint32_t> nameOffsets;
  OutputSection &nameSection =
      add({.name = ".shstrtab", .rank = SectionRank::NotLoaded, .type = ELF::SHT_STRTAB});
  for (const std::unique_ptr<OutputSection> &section : all)
    nameOffsets.push_back(names.add(section->name));
  nameSection.contents = names.contents();

  std::string file(loadedEnd, '\0');
  for (auto [index, section] : enumerate(all)) {
    section->index = index + 1;
    if (section->rank == SectionRank::NotLoaded) {
      section->size = section->contents.size();
      section->offset = alignTo(file.size(), section->align);
      file.resize(section->offset + section->size);
    }
    file.replace(section->offset, section->contents.size(), section->contents);
  }
  file.resize(alignTo(file.size(), 8));
  uint64_t headers = file.size();
  file.append(kSectionHeaderBytes, '\0');
  for (auto [section, name] : zip(all, nameOffsets))
    writeSectionHeader(file, *section, name);

  std::string header(ELF::ElfMagic);
  for (uint8_t byte : {uint8_t(ELF::ELFCLASS64), uint8_t(ELF::ELFDATA2LSB),
                       uint8_t(ELF::EV_CURRENT), osABI, abiVersion})
    header.push_back(char(byte));
  header.resize(ELF::EI_NIDENT);
  appendInt(header, uint16_t(ELF::ET_DYN));
  appendInt(header, uint16_t(ELF::EM_AMDGPU));
  appendInt(header, uint32_t(ELF::EV_CURRENT));
  for (uint64_t field : {uint64_t(0), kHeaderBytes, headers}) // there is no entry point
    appendInt(header, field);
  appendInt(header, flags);
  for (uint64_t field :
       {kHeaderBytes, kProgramHeaderBytes, uint64_t(segments.size()), kSectionHeaderBytes,
        uint64_t(all.size() + 1), uint64_t(nameSection.index)})
    appendInt(header, uint16_t(field));
  header += writeSegments();
  file.replace(0, header.size(), header);
  return file;
}
