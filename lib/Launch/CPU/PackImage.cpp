//===- PackImage.cpp - an object of a pack, linked into the process -------===//
// Sections that are loaded begin at pages of their own, so that code is never writable
// and data never executable. Behind them are one stub and one slot for each symbol.
//===----------------------------------------------------------------------===//
#include "PackImage.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tessera;

static constexpr unsigned kMaxSections = 4096;
static constexpr size_t kMaxImage = size_t(1) << 30;
static constexpr size_t kStub = 16; // jmp *0(%rip), the address

namespace {
/// A part of the object, or nothing if it does not lie in it.
template <typename T> const T *at(std::string_view bytes, uint64_t offset, uint64_t count = 1) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T) ||
      offset % alignof(T) != 0)
    return nullptr;
  return reinterpret_cast<const T *>(bytes.data() + offset);
}
} // namespace

struct PackImage::Sections {
  std::string_view object;
  const Elf64_Shdr *headers = nullptr;
  unsigned count = 0;
  uint64_t *places = nullptr; // of each section in the image; ~0: not loaded
  const Elf64_Sym *symbols = nullptr;
  uint64_t symbolCount = 0;
  std::string_view names;
  uint64_t stubs = 0, slots = 0; // where they begin in the image

  ~Sections() { std::free(places); }
  const char *read(std::string_view bytes);
  std::string_view nameOf(const Elf64_Sym &symbol) const {
    if (symbol.st_name >= names.size())
      return {};
    std::string_view rest = names;
    rest.remove_prefix(symbol.st_name);
    return rest.substr(0, rest.find('\0'));
  }
};

const char *PackImage::Sections::read(std::string_view bytes) {
  object = bytes;
  const auto *head = at<Elf64_Ehdr>(bytes, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64 ||
      head->e_type != ET_REL || head->e_shentsize != sizeof(Elf64_Shdr))
    return "it is no object for x86-64";
  headers = at<Elf64_Shdr>(bytes, head->e_shoff, head->e_shnum);
  count = head->e_shnum;
  if (!headers || count == 0 || count > kMaxSections)
    return "its sections are not there";
  for (unsigned i = 0; i < count; ++i) {
    const Elf64_Shdr &section = headers[i];
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !at<char>(bytes, section.sh_offset, section.sh_size))
      return "a section lies outside of it";
    if (section.sh_type != SHT_SYMTAB)
      continue;
    symbols = at<Elf64_Sym>(bytes, section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    symbolCount = section.sh_size / sizeof(Elf64_Sym);
    if (section.sh_link >= count || headers[section.sh_link].sh_type != SHT_STRTAB)
      return "its symbols have no names";
    const Elf64_Shdr &strings = headers[section.sh_link];
    const char *first = at<char>(bytes, strings.sh_offset, strings.sh_size);
    if (!first)
      return "its symbols have no names";
    names = {first, size_t(strings.sh_size)};
  }
  return symbols ? nullptr : "it has no symbols";
}

/// Gives each loaded section its place, and copies it there.
const char *PackImage::place(Sections &sections) {
  size_t page = size_t(::sysconf(_SC_PAGESIZE));
  auto roundUp = [&](uint64_t n) { return (n + page - 1) / page * page; };
  sections.places = static_cast<uint64_t *>(std::calloc(sections.count, sizeof(uint64_t)));
  if (!sections.places)
    return "there is no memory";
  uint64_t end = 0;
  for (unsigned i = 0; i < sections.count; ++i) {
    const Elf64_Shdr &section = sections.headers[i];
    bool isLoaded = (section.sh_flags & SHF_ALLOC) && section.sh_size > 0;
    sections.places[i] = isLoaded ? end : ~uint64_t(0);
    if (!isLoaded)
      continue;
    if (section.sh_addralign > page || section.sh_size > kMaxImage - end)
      return "a section is too large";
    end = roundUp(end + section.sh_size);
  }
  if (sections.symbolCount > (kMaxImage - end) / (kStub + 8))
    return "it has too many symbols";
  sections.stubs = end;
  sections.slots = roundUp(end + sections.symbolCount * kStub);
  size = roundUp(sections.slots + sections.symbolCount * 8) + page;
  void *mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return "there is no memory";
  memory = static_cast<char *>(mapped);
  for (unsigned i = 0; i < sections.count; ++i) {
    const Elf64_Shdr &section = sections.headers[i];
    if (sections.places[i] != ~uint64_t(0) && section.sh_type != SHT_NOBITS)
      std::memcpy(memory + sections.places[i], sections.object.data() + section.sh_offset,
                  section.sh_size);
  }
  return nullptr;
}

/// A function of the C and maths libraries, of glibc's vector maths library, or a conversion.
static void *findOutside(const char *name) {
  if (void *found = ::dlsym(RTLD_DEFAULT, name))
    return found;
  for (const char *library : {"libm.so.6", "libmvec.so.1", "libgcc_s.so.1"})
    if (void *handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL)) // stays open with the image
      if (void *found = ::dlsym(handle, name))
        return found;
  return nullptr;
}

namespace {
/// Writes the values that relocations ask for.
struct Relocator {
  char *memory;
  uint64_t limit; // bytes of the section that is relocated
  uint64_t section;

  const char *apply(const Elf64_Rela &rela, uint64_t target, uint64_t stub, uint64_t slot) const {
    uint64_t kind = ELF64_R_TYPE(rela.r_info);
    unsigned width = kind == R_X86_64_64 || kind == R_X86_64_PC64 ? 8 : 4;
    if (limit < width || rela.r_offset > limit - width)
      return "a relocation lies outside of its section";
    char *where = memory + section + rela.r_offset;
    auto here = reinterpret_cast<uint64_t>(where);
    uint64_t addend = uint64_t(rela.r_addend);
    int64_t value = 0;
    switch (kind) {
    case R_X86_64_64:
      value = int64_t(target + addend);
      break;
    case R_X86_64_PC64:
    case R_X86_64_PC32:
      value = int64_t(target + addend - here);
      break;
    case R_X86_64_PLT32:
      value = int64_t((stub ? stub : target) + addend - here);
      break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      value = int64_t(slot + addend - here);
      break;
    default:
      return "it has a relocation of an unknown kind";
    }
    if (width == 4 && value != int32_t(value))
      return "a relocation does not reach its target";
    std::memcpy(where, &value, width);
    return nullptr;
  }
};
} // namespace

const char *PackImage::relocate(Sections &sections, std::string_view symbol) {
  auto addressOf = [&](uint64_t number, bool &isOutside) -> uint64_t {
    const Elf64_Sym &own = sections.symbols[number];
    isOutside = own.st_shndx == SHN_UNDEF;
    if (isOutside) {
      char name[256] = {};
      std::string_view text = sections.nameOf(own);
      if (text.empty() || text.size() >= sizeof(name))
        return 0;
      std::memcpy(name, text.data(), text.size());
      return reinterpret_cast<uint64_t>(findOutside(name));
    }
    if (own.st_shndx >= sections.count || sections.places[own.st_shndx] == ~uint64_t(0) ||
        own.st_value > sections.headers[own.st_shndx].sh_size)
      return 0;
    return reinterpret_cast<uint64_t>(memory + sections.places[own.st_shndx]) + own.st_value;
  };
  for (unsigned i = 0; i < sections.count; ++i) {
    const Elf64_Shdr &table = sections.headers[i];
    if (table.sh_type != SHT_RELA || table.sh_info >= sections.count ||
        sections.places[table.sh_info] == ~uint64_t(0))
      continue;
    uint64_t count = table.sh_size / sizeof(Elf64_Rela);
    const auto *relas = at<Elf64_Rela>(sections.object, table.sh_offset, count);
    if (!relas)
      return "its relocations are not there";
    Relocator relocator{memory, sections.headers[table.sh_info].sh_size,
                        sections.places[table.sh_info]};
    for (uint64_t k = 0; k < count; ++k) {
      uint64_t number = ELF64_R_SYM(relas[k].r_info);
      if (number >= sections.symbolCount)
        return "a relocation has no symbol";
      bool isOutside = false;
      uint64_t target = addressOf(number, isOutside);
      if (!target)
        return "it calls a function that this machine does not have";
      char *stub = memory + sections.stubs + number * kStub,
           *slot = memory + sections.slots + number * 8;
      constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};
      std::memcpy(stub, kJump, sizeof(kJump));
      std::memcpy(stub + sizeof(kJump), &target, 8);
      std::memcpy(slot, &target, 8);
      if (const char *problem =
              relocator.apply(relas[k], target, isOutside ? reinterpret_cast<uint64_t>(stub) : 0,
                              reinterpret_cast<uint64_t>(slot)))
        return problem;
    }
  }
  for (uint64_t number = 0; number < sections.symbolCount; ++number) {
    bool isOutside = false;
    const Elf64_Sym &own = sections.symbols[number];
    if (own.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(own.st_info) == STT_FUNC &&
        sections.nameOf(own) == symbol)
      entry = reinterpret_cast<Function>(addressOf(number, isOutside));
  }
  return entry ? nullptr : "it does not have the kernel";
}

const char *PackImage::load(std::string_view object, std::string_view symbol) {
  Sections sections;
  if (const char *problem = sections.read(object))
    return problem;
  if (const char *problem = place(sections))
    return problem;
  if (const char *problem = relocate(sections, symbol))
    return problem;
  for (unsigned i = 0; i < sections.count; ++i) {
    const Elf64_Shdr &section = sections.headers[i];
    if (sections.places[i] == ~uint64_t(0))
      continue;
    int protection = PROT_READ | (section.sh_flags & SHF_EXECINSTR ? PROT_EXEC : 0) |
                     (section.sh_flags & SHF_WRITE ? PROT_WRITE : 0);
    if (::mprotect(memory + sections.places[i], section.sh_size, protection) != 0)
      return "this machine does not let it run";
  }
  if (::mprotect(memory + sections.stubs, sections.slots - sections.stubs, PROT_READ | PROT_EXEC) !=
      0)
    return "this machine does not let it run";
  return nullptr;
}

PackImage::~PackImage() {
  if (memory)
    ::munmap(memory, size);
}
