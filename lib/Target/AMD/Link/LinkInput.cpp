//===- LinkInput.cpp - read an object file for the linker -----------------===//
// llvm::object checks that headers and contents lie within the file; the rest,
// what one part says about another, is checked here.
//===----------------------------------------------------------------------===//
#include "LinkInput.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

using File = object::ELFFile<object::ELF64LE>;
using Header = object::ELF64LE::Shdr;

/// Kernels are aligned to 256 bytes; more than a page of memory makes no sense.
static constexpr uint64_t kMaxAlign = 65536;
/// Far more than a kernel, and far less than what overflows an address.
static constexpr uint64_t kMaxSectionBytes = uint64_t(1) << 30;

bool LinkSection::isLoaded() const { return flags & ELF::SHF_ALLOC; }
bool LinkSection::hasContents() const { return type != ELF::SHT_NOBITS; }
bool LinkSection::isMergeable() const { return (flags & ELF::SHF_MERGE) && entrySize != 0; }
bool LinkSymbol::isLocal() const { return info >> 4 == ELF::STB_LOCAL; }
bool LinkSymbol::isSection() const { return (info & 15) == ELF::STT_SECTION; }
bool LinkSymbol::isExported() const {
  unsigned visibility = other & 3;
  return !isLocal() && section != ELF::SHN_UNDEF &&
         (visibility == ELF::STV_DEFAULT || visibility == ELF::STV_PROTECTED);
}

StringRef amd::relocationName(uint32_t type) {
  return object::getELFRelocationTypeName(ELF::EM_AMDGPU, type);
}

static Error describe(const Twine &what, Error error) {
  return makeError(what + ": " + toString(std::move(error)));
}

/// Checks the size, the alignment and the kind of a section that is kept.
static Error checkSection(const LinkSection &section) {
  if (section.align == 0 || !isPowerOf2_64(section.align) || section.align > kMaxAlign)
    return makeError("section '" + section.name + "' has the alignment " + Twine(section.align));
  if (section.size > kMaxSectionBytes)
    return makeError("section '" + section.name + "' has " + Twine(section.size) + " bytes");
  if (section.isMergeable() && section.size % section.entrySize != 0)
    return makeError("section '" + section.name + "' does not consist of entries of " +
                     Twine(section.entrySize) + " bytes");
  if (!section.isLoaded())
    return Error::success();
  if (section.type != ELF::SHT_PROGBITS && section.type != ELF::SHT_NOBITS &&
      section.type != ELF::SHT_NOTE)
    return makeError("section '" + section.name + "' has a type that kernels do not have: " +
                     object::getELFSectionTypeName(ELF::EM_AMDGPU, section.type));
  constexpr uint64_t known = ELF::SHF_ALLOC | ELF::SHF_WRITE | ELF::SHF_EXECINSTR | ELF::SHF_MERGE |
                             ELF::SHF_STRINGS | ELF::SHF_GNU_RETAIN;
  if (uint64_t other = section.flags & ~known)
    return makeError("section '" + section.name + "' has flags that kernels do not have: 0x" +
                     utohexstr(other));
  bool isWritten = section.flags & ELF::SHF_WRITE, isCode = section.flags & ELF::SHF_EXECINSTR;
  if (isWritten && isCode)
    return makeError("section '" + section.name + "' is both code and writable");
  if ((isWritten || isCode) && section.isMergeable())
    return makeError("section '" + section.name + "' is mergeable, but not read-only data");
  if (!isWritten && !section.hasContents())
    return makeError("section '" + section.name + "' is zeros that cannot be written");
  return Error::success();
}

static Error readSections(const File &file, File::Elf_Shdr_Range headers, LinkInput &input) {
  for (const Header &header : headers) {
    LinkSection &section = input.sections.emplace_back();
    Expected<StringRef> name = file.getSectionName(header);
    if (!name)
      return describe("a section's name", name.takeError());
    section.name = *name;
    section.type = header.sh_type;
    section.flags = header.sh_flags;
    section.size = header.sh_size;
    section.align = std::max<uint64_t>(header.sh_addralign, 1);
    section.entrySize = header.sh_entsize;
    if (section.type == ELF::SHT_NULL)
      continue;
    if (section.hasContents()) {
      Expected<ArrayRef<uint8_t>> contents = file.getSectionContents(header);
      if (!contents)
        return describe("section '" + section.name + "'", contents.takeError());
      section.contents = *contents;
    }
    if (Error error = checkSection(section))
      return error;
  }
  return Error::success();
}

static Error readSymbols(const File &file, File::Elf_Shdr_Range headers, const Header &table,
                         LinkInput &input) {
  auto symbols = file.symbols(&table);
  if (!symbols)
    return describe("the symbol table", symbols.takeError());
  Expected<StringRef> strings = file.getStringTableForSymtab(table, headers);
  if (!strings)
    return describe("the symbols' names", strings.takeError());
  for (const auto &entry : *symbols) {
    Expected<StringRef> name = entry.getName(*strings);
    if (!name)
      return describe("a symbol's name", name.takeError());
    LinkSymbol symbol{*name,          entry.st_info,  entry.st_other,
                      entry.st_shndx, entry.st_value, entry.st_size};
    if (symbol.section >= ELF::SHN_LORESERVE && symbol.section != ELF::SHN_ABS)
      return makeError("symbol '" + symbol.name + "' is in no section of its own" +
                       (symbol.section == ELF::SHN_AMDGPU_LDS
                            ? ", but in shared memory that the linker would have to place"
                            : ""));
    if (symbol.section != ELF::SHN_ABS && symbol.section >= input.sections.size())
      return makeError("symbol '" + symbol.name + "' is in section " + Twine(symbol.section) +
                       ", and there are " + Twine(input.sections.size()));
    bool isPlaced = symbol.section != ELF::SHN_ABS && symbol.section != ELF::SHN_UNDEF;
    if (isPlaced && symbol.value > input.sections[symbol.section].size)
      return makeError("symbol '" + symbol.name + "' lies behind the end of its section");
    input.symbols.push_back(symbol);
  }
  return Error::success();
}

static Error readRelocations(const File &file, const Header &table, LinkInput &input) {
  if (table.sh_info >= input.sections.size())
    return makeError("relocations for section " + Twine(table.sh_info) + ", and there are " +
                     Twine(input.sections.size()));
  LinkSection &section = input.sections[table.sh_info];
  auto entries = file.relas(table);
  if (!entries)
    return describe("the relocations of section '" + section.name + "'", entries.takeError());
  for (const auto &entry : *entries) {
    LinkRelocation relocation{entry.r_offset, entry.getType(false), entry.getSymbol(false),
                              entry.r_addend};
    if (relocation.symbol >= input.symbols.size())
      return makeError("a relocation of section '" + section.name + "' names symbol " +
                       Twine(relocation.symbol) + ", and there are " + Twine(input.symbols.size()));
    section.relocations.push_back(relocation);
  }
  return Error::success();
}

Expected<LinkInput> amd::readLinkInput(StringRef object) {
  Expected<File> file = File::create(object);
  if (!file)
    return describe("not an object file", file.takeError());
  const File::Elf_Ehdr &header = file->getHeader();
  if (!object.starts_with(StringRef(ELF::ElfMagic, 4)) ||
      header.getFileClass() != ELF::ELFCLASS64 || header.getDataEncoding() != ELF::ELFDATA2LSB)
    return makeError("not a 64-bit little-endian ELF file");
  if (header.e_type != ELF::ET_REL || header.e_machine != ELF::EM_AMDGPU)
    return makeError("not a relocatable object file of an AMD GPU");
  LinkInput input;
  input.flags = header.e_flags;
  input.osABI = header.e_ident[ELF::EI_OSABI];
  input.abiVersion = header.e_ident[ELF::EI_ABIVERSION];
  Expected<File::Elf_Shdr_Range> headers = file->sections();
  if (!headers)
    return describe("the section headers", headers.takeError());
  if (Error error = readSections(*file, *headers, input))
    return error;
  for (const Header &table : *headers)
    if (table.sh_type == ELF::SHT_SYMTAB)
      if (Error error = readSymbols(*file, *headers, table, input))
        return error;
  for (const Header &table : *headers) {
    if (table.sh_type == ELF::SHT_REL)
      return makeError("relocations without addends");
    if (table.sh_type == ELF::SHT_RELA)
      if (Error error = readRelocations(*file, table, input))
        return error;
  }
  return input;
}
