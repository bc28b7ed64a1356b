//===- Linker.cpp - from a kernel's object file to a code object ----------===//
// See Linker.h. The steps:
//
//   1. LinkInput reads the object file and checks it.
//   2. Input sections are put together by name (.rodata.cst16 into .rodata).
//   3. Tables of the exported symbols are added; their sizes are known.
//   4. CodeObject chooses the sections' places.
//   5. Addresses are filled in: symbols, .dynamic, relocations.
//
// Supported relocations: REL64, REL32_LO, REL32_HI and ABS64 in what is loaded, ABS32
// and ABS64 in debug sections. That is what LLVM writes for kernels, whose own
// functions and tables are not visible elsewhere; all others are refused by name. A
// 64-bit address in writable data becomes a relocation for the loader.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Linker.h"
#include "CodeObject.h"
#include "DynamicTables.h"
#include "LinkInput.h"
#include "MergedSection.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

namespace endian = llvm::support::endian;

static constexpr uint64_t kSymbolBytes = 24, kRelaBytes = 24, kDynamicBytes = 16;

namespace {
/// Where the bytes of an input section went.
struct Placement {
  OutputSection *output = nullptr; // null: nowhere
  uint64_t offset = 0;             // in the output section
  std::optional<MergedSection> merged = {};
};

class Linker {
public:
  explicit Linker(LinkInput &&input) : input(std::move(input)) {}
  Expected<std::string> link();

private:
  Error placeSections();
  Error place(unsigned index, OutputSection &output);
  Error addTables();

  Expected<uint64_t> addressOf(const LinkSymbol &symbol, int64_t addend) const;
  Error writeSymbol(std::string &bytes, const LinkSymbol &symbol, uint32_t name,
                    bool isLocal) const;
  Error writeExports();
  void writeDynamic();
  Error relocate();
  Error relocateLoaded(const LinkSection &section, const Placement &place,
                       const LinkRelocation &relocation);
  Error relocateDebug(const LinkSection &section, const Placement &place,
                      const LinkRelocation &relocation);
  Error addSymbolTable();

  LinkInput input;
  CodeObject output;
  std::vector<Placement> placements; // by the index of the input section
  std::vector<const LinkSymbol *> exports;
  std::vector<uint32_t> exportNames; // their offsets in .dynstr
  OutputSection *dynamicSymbols = nullptr, *gnuHash = nullptr, *sysvHash = nullptr,
                *dynamicStrings = nullptr, *loaderRelocations = nullptr, *dynamic = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// ".rodata.cst16" goes into ".rodata".
static StringRef outputName(StringRef name) {
  for (StringRef prefix : {".data.rel.ro", ".rodata", ".text", ".data", ".bss"})
    if (name == prefix || (name.starts_with(prefix) && name[prefix.size()] == '.'))
      return prefix;
  return name;
}

static SectionRank rankOf(const LinkSection &section) {
  if (!section.isLoaded())
    return SectionRank::NotLoaded;
  if (section.flags & ELF::SHF_EXECINSTR)
    return SectionRank::Code;
  if (!(section.flags & ELF::SHF_WRITE))
    return section.type == ELF::SHT_NOTE ? SectionRank::Note : SectionRank::Constant;
  if (outputName(section.name) == ".data.rel.ro")
    return SectionRank::Relro;
  return section.hasContents() ? SectionRank::Data : SectionRank::Zeros;
}

static constexpr StringLiteral kOwnSections[] = {
    ".dynsym",  ".gnu.hash",      ".hash",   ".dynstr", ".rela.dyn",
    ".dynamic", ".relro_padding", ".symtab", ".strtab", ".shstrtab"};

/// Debug information and the like; not what describes the object file itself.
static bool isKept(const LinkSection &section) {
  if (section.isLoaded())
    return section.size != 0 || section.name == ".text";
  return section.size != 0 && section.type == ELF::SHT_PROGBITS &&
         !(section.flags & ELF::SHF_EXCLUDE) && !section.name.starts_with(".note.GNU-");
}

Error Linker::place(unsigned index, OutputSection &target) {
  const LinkSection &section = input.sections[index];
  Placement &place = placements[index];
  place.output = &target;
  target.align = std::max(target.align, section.align);
  target.size = place.offset = alignTo(target.size, section.align);
  bool isMerged = section.isLoaded() && section.isMergeable() && section.hasContents();
  if (isMerged) {
    Expected<MergedSection> merged = MergedSection::create(section);
    if (!merged)
      return merged.takeError();
    place.merged = std::move(*merged);
  }
  target.size += place.merged ? place.merged->contents().size() : section.size;
  if (!section.hasContents())
    return Error::success();
  target.contents.resize(place.offset);
  if (place.merged)
    target.contents += place.merged->contents();
  else
    target.contents += toStringRef(section.contents);
  return Error::success();
}

Error Linker::placeSections() {
  placements.resize(input.sections.size());
  for (auto [index, section] : enumerate(input.sections)) {
    if (section.type == ELF::SHT_NULL || !isKept(section))
      continue;
    StringRef name = section.isLoaded() ? outputName(section.name) : section.name;
    if (is_contained(kOwnSections, name))
      return makeError("section '" + name + "', which the linker itself makes");
    SectionRank rank = rankOf(section);
    OutputSection *target = output.find(name.str());
    if (target && (target->rank != rank || target->type != section.type))
      return makeError("section '" + section.name + "' does not fit others called '" + name + "'");
    if (!target)
      target = &output.add({.name = name.str(),
                            .rank = rank,
                            .type = section.type,
                            .flags = section.flags & (ELF::SHF_ALLOC | ELF::SHF_WRITE |
                                                      ELF::SHF_EXECINSTR | ELF::SHF_STRINGS)});
    if (Error error = place(index, *target))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Tables for the loader
//===----------------------------------------------------------------------===//

static bool needsLoader(const LinkSection &section, const LinkRelocation &relocation) {
  return section.isLoaded() && (section.flags & ELF::SHF_WRITE) &&
         relocation.type == ELF::R_AMDGPU_ABS64;
}

/// The tables have their sizes from here on, and some of them their contents.
Error Linker::addTables() {
  std::vector<const LinkSymbol *> found;
  std::vector<StringRef> names;
  for (const LinkSymbol &symbol : input.symbols) {
    if (!symbol.isExported())
      continue;
    if (is_contained(names, symbol.name))
      return makeError("symbol '" + symbol.name + "' is defined twice");
    found.push_back(&symbol);
    names.push_back(symbol.name);
  }
  StringTable strings;
  std::vector<uint32_t> offsets;
  for (StringRef name : names)
    offsets.push_back(strings.add(name));
  std::vector<StringRef> ordered;
  for (unsigned index : orderForGnuHash(names)) {
    exports.push_back(found[index]);
    exportNames.push_back(offsets[index]);
    ordered.push_back(names[index]);
  }
  auto addTable = [&](const char *name, uint32_t type, uint64_t align, uint64_t entrySize,
                      std::string contents) {
    uint64_t size = contents.size();
    return &output.add({.name = name,
                        .rank = SectionRank::Table,
                        .type = type,
                        .flags = ELF::SHF_ALLOC,
                        .align = align,
                        .entrySize = entrySize,
                        .contents = std::move(contents),
                        .size = size});
  };
  dynamicSymbols = addTable(".dynsym", ELF::SHT_DYNSYM, 8, kSymbolBytes,
                            std::string((exports.size() + 1) * kSymbolBytes, '\0'));
  gnuHash = addTable(".gnu.hash", ELF::SHT_GNU_HASH, 8, 0, writeGnuHash(ordered));
  sysvHash = addTable(".hash", ELF::SHT_HASH, 4, 4, writeSysVHash(ordered));
  dynamicStrings = addTable(".dynstr", ELF::SHT_STRTAB, 1, 0, strings.contents());
  dynamicSymbols->info = 1; // the first symbol that is not local
  dynamicSymbols->link = dynamicStrings;
  gnuHash->link = sysvHash->link = dynamicSymbols;

  uint64_t numRelocations = 0;
  for (const LinkSection &section : input.sections)
    numRelocations += count_if(section.relocations, [&](const LinkRelocation &relocation) {
      return needsLoader(section, relocation);
    });
  if (numRelocations != 0) {
    loaderRelocations = addTable(".rela.dyn", ELF::SHT_RELA, 8, kRelaBytes,
                                 std::string(numRelocations * kRelaBytes, '\0'));
    loaderRelocations->contents.clear(); // they are appended as they are found
    loaderRelocations->link = dynamicSymbols;
  }
  uint64_t numEntries = loaderRelocations ? 11 : 7;
  dynamic = &output.add({.name = ".dynamic",
                         .rank = SectionRank::Relro,
                         .type = ELF::SHT_DYNAMIC,
                         .flags = ELF::SHF_ALLOC | ELF::SHF_WRITE,
                         .align = 8,
                         .entrySize = kDynamicBytes,
                         .size = numEntries * kDynamicBytes,
                         .link = dynamicStrings});
  output.add({.name = ".relro_padding",
              .rank = SectionRank::RelroPadding,
              .type = ELF::SHT_NOBITS,
              .flags = ELF::SHF_ALLOC | ELF::SHF_WRITE});
  return Error::success();
}

/// Writes where the tables are, for the loader.
void Linker::writeDynamic() {
  auto add = [&](uint64_t tag, uint64_t value) {
    appendInt(dynamic->contents, tag);
    appendInt(dynamic->contents, value);
  };
  if (loaderRelocations) {
    add(ELF::DT_RELA, loaderRelocations->address);
    add(ELF::DT_RELASZ, loaderRelocations->size);
    add(ELF::DT_RELAENT, kRelaBytes);
    add(ELF::DT_RELACOUNT, loaderRelocations->size / kRelaBytes); // all are relative
  }
  add(ELF::DT_SYMTAB, dynamicSymbols->address);
  add(ELF::DT_SYMENT, kSymbolBytes);
  add(ELF::DT_STRTAB, dynamicStrings->address);
  add(ELF::DT_STRSZ, dynamicStrings->size);
  add(ELF::DT_GNU_HASH, gnuHash->address);
  add(ELF::DT_HASH, sysvHash->address);
  add(ELF::DT_NULL, 0);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static std::string quote(const LinkSymbol &symbol, const LinkInput &input) {
  bool isUnnamed = symbol.name.empty() && symbol.section < input.sections.size();
  return ("'" + (isUnnamed ? input.sections[symbol.section].name : symbol.name) + "'").str();
}

/// Returns the address of the symbol, plus `addend`. In a merged section the addend of a section's
/// own symbol says which entry is meant, and that of others is added to the entry's address.
Expected<uint64_t> Linker::addressOf(const LinkSymbol &symbol, int64_t addend) const {
  if (symbol.section == ELF::SHN_UNDEF) {
    if (symbol.info >> 4 == ELF::STB_WEAK || symbol.name.empty())
      return uint64_t(addend);
    return makeError("symbol " + quote(symbol, input) +
                     " is not defined; a code object must be complete");
  }
  if (symbol.section == ELF::SHN_ABS)
    return symbol.value + addend;
  const Placement &place = placements[symbol.section];
  // A program without lines has an empty .debug_line, which is not written. Others name it.
  const LinkSection &section = input.sections[symbol.section];
  if (!place.output && !section.isLoaded() && section.size == 0)
    return addend;
  if (!place.output)
    return makeError("symbol " + quote(symbol, input) + " is in section '" +
                     input.sections[symbol.section].name + "', which is not part of a code object");
  uint64_t base = place.output->address + place.offset;
  if (!place.merged)
    return base + symbol.value + addend;
  uint64_t offset = symbol.value + (symbol.isSection() ? addend : 0);
  std::optional<uint64_t> found = place.merged->find(offset);
  if (!found)
    return makeError("symbol " + quote(symbol, input) + " is used at offset " + Twine(offset) +
                     ", where its section has no entry");
  return base + *found + (symbol.isSection() ? 0 : addend);
}

Error Linker::writeSymbol(std::string &bytes, const LinkSymbol &symbol, uint32_t name,
                          bool isLocal) const {
  Expected<uint64_t> address = addressOf(symbol, 0);
  if (!address)
    return address.takeError();
  const OutputSection *section =
      symbol.section < placements.size() ? placements[symbol.section].output : nullptr;
  appendInt(bytes, name);
  appendInt(bytes, uint8_t(isLocal ? symbol.info & 15 : symbol.info));
  appendInt(bytes, symbol.other);
  appendInt(bytes, uint16_t(section ? section->index : symbol.section));
  appendInt(bytes, *address);
  appendInt(bytes, symbol.size);
  return Error::success();
}

Error Linker::writeExports() {
  std::string bytes(kSymbolBytes, '\0');
  for (auto [symbol, name] : zip(exports, exportNames))
    if (Error error = writeSymbol(bytes, *symbol, name, /*isLocal=*/false))
      return error;
  dynamicSymbols->contents = std::move(bytes);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Relocations
//===----------------------------------------------------------------------===//

static Error refuse(const LinkSection &section, const LinkRelocation &relocation,
                    const Twine &symbol) {
  return makeError("relocation " + relocationName(relocation.type) + " (" + Twine(relocation.type) +
                   ") against " + symbol + " in section '" + section.name +
                   "', which this linker does not know");
}

static Error checkRange(const LinkSection &section, const LinkRelocation &relocation,
                        uint64_t bytes) {
  if (relocation.offset <= section.contents.size() &&
      section.contents.size() - relocation.offset >= bytes)
    return Error::success();
  return makeError("relocation " + relocationName(relocation.type) + " at offset " +
                   Twine(relocation.offset) + " of section '" + section.name + "', which has " +
                   Twine(section.contents.size()) + " bytes");
}

Error Linker::relocateLoaded(const LinkSection &section, const Placement &place,
                             const LinkRelocation &relocation) {
  const LinkSymbol &symbol = input.symbols[relocation.symbol];
  bool isWide = relocation.type == ELF::R_AMDGPU_REL64 || relocation.type == ELF::R_AMDGPU_ABS64;
  bool isHalf =
      relocation.type == ELF::R_AMDGPU_REL32_LO || relocation.type == ELF::R_AMDGPU_REL32_HI;
  if (!isWide && !isHalf)
    return refuse(section, relocation, quote(symbol, input));
  if (Error error = checkRange(section, relocation, isWide ? 8 : 4))
    return error;
  Expected<uint64_t> target = addressOf(symbol, relocation.addend);
  if (!target)
    return target.takeError();
  uint64_t at = place.output->address + place.offset + relocation.offset;
  if (needsLoader(section, relocation)) {
    for (uint64_t field : {at, uint64_t(ELF::R_AMDGPU_RELATIVE64), *target})
      appendInt(loaderRelocations->contents, field);
    return Error::success();
  }
  if (relocation.type == ELF::R_AMDGPU_ABS64)
    return makeError("the address of " + quote(symbol, input) + " in the read-only section '" +
                     section.name + "', which only the loader could know");
  char *bytes = place.output->contents.data() + place.offset + relocation.offset;
  uint64_t distance = *target - at;
  if (isWide)
    endian::write64le(bytes, distance);
  else
    endian::write32le(bytes, relocation.type == ELF::R_AMDGPU_REL32_LO ? distance : distance >> 32);
  return Error::success();
}

Error Linker::relocateDebug(const LinkSection &section, const Placement &place,
                            const LinkRelocation &relocation) {
  const LinkSymbol &symbol = input.symbols[relocation.symbol];
  bool isWide = relocation.type == ELF::R_AMDGPU_ABS64;
  if (!isWide && relocation.type != ELF::R_AMDGPU_ABS32)
    return refuse(section, relocation, quote(symbol, input));
  if (Error error = checkRange(section, relocation, isWide ? 8 : 4))
    return error;
  Expected<uint64_t> target = addressOf(symbol, relocation.addend);
  if (!target)
    return target.takeError();
  char *bytes = place.output->contents.data() + place.offset + relocation.offset;
  if (isWide)
    endian::write64le(bytes, *target);
  else
    endian::write32le(bytes, *target);
  return Error::success();
}

Error Linker::relocate() {
  for (auto [section, place] : zip(input.sections, placements)) {
    if (!place.output)
      continue;
    if (place.merged && !section.relocations.empty())
      return makeError("section '" + section.name + "' is mergeable, but has relocations");
    for (const LinkRelocation &relocation : section.relocations)
      if (Error error = section.isLoaded() ? relocateLoaded(section, place, relocation)
                                           : relocateDebug(section, place, relocation))
        return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Adds .symtab for debuggers and disassemblers: the named symbols, local ones first.
Error Linker::addSymbolTable() {
  StringTable strings;
  std::string bytes(kSymbolBytes, '\0');
  uint32_t numLocals = 1;
  for (bool isLocal : {true, false})
    for (const LinkSymbol &symbol : input.symbols) {
      if (symbol.name.empty() || symbol.isSection() || symbol.section == ELF::SHN_UNDEF ||
          symbol.isExported() == isLocal)
        continue;
      if (symbol.section != ELF::SHN_ABS && !placements[symbol.section].output)
        continue;
      numLocals += isLocal;
      if (Error error = writeSymbol(bytes, symbol, strings.add(symbol.name), isLocal))
        return error;
    }
  OutputSection &names = output.add({.name = ".strtab",
                                     .rank = SectionRank::NotLoaded,
                                     .type = ELF::SHT_STRTAB,
                                     .contents = strings.contents()});
  output.add({.name = ".symtab",
              .rank = SectionRank::NotLoaded,
              .type = ELF::SHT_SYMTAB,
              .align = 8,
              .entrySize = kSymbolBytes,
              .contents = std::move(bytes),
              .link = &names,
              .info = numLocals});
  return Error::success();
}

Expected<std::string> Linker::link() {
  if (Error error = placeSections())
    return error;
  if (Error error = addTables())
    return error;
  output.layOut();
  if (Error error = writeExports())
    return error;
  writeDynamic();
  if (Error error = relocate())
    return error;
  if (Error error = addSymbolTable())
    return error;
  return output.write(input.osABI, input.abiVersion, input.flags);
}

Expected<std::string> amd::linkCodeObject(StringRef object) {
  Expected<LinkInput> input = readLinkInput(object);
  if (!input)
    return input.takeError();
  return Linker(std::move(*input)).link();
}
