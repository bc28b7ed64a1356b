//===- Archive.cpp - libNAME.a --------------------------------------------===//
// The library's C source is compiled by the machine's C compiler; binaries become
// object files here, since compilers take long over large arrays.
//===----------------------------------------------------------------------===//
#include "Archive.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Subprocess.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;
using namespace tessera::build;
using namespace llvm::ELF;

#if defined(__x86_64__)
static constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t kMachine = EM_AARCH64;
#endif

//===----------------------------------------------------------------------===//
// Data as an object
//===----------------------------------------------------------------------===//

template <typename T> static void appendBytes(std::string &out, const T &value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// The header of an object whose section headers follow `bytes` of contents; the last but one of
/// them has the sections' names.
static Elf64_Ehdr describeObject(size_t bytes, size_t sections) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = kMachine;
  header.e_version = EV_CURRENT;
  header.e_shoff = sizeof header + bytes;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = uint16_t(sections);
  header.e_shstrndx = uint16_t(sections - 2);
  return header;
}

/// ELF header | data | symbol table | its names | section names | section headers.
std::string build::writeDataObject(llvm::StringRef symbol, llvm::StringRef data) {
  std::string names("\0.rodata\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack\0", 51);
  auto nameOf = [&](llvm::StringRef name) {
    std::string end(1, '\0');
    return uint32_t(names.find(end + name.str() + end) + 1);
  };
  std::string body, symbols, symbolNames = std::string(1, '\0') + symbol.str() + '\0';
  Elf64_Sym entry = {};
  appendBytes(symbols, entry); // the first one is nothing
  entry.st_name = 1;
  entry.st_info = STB_GLOBAL << 4 | STT_OBJECT;
  entry.st_other = STV_HIDDEN;
  entry.st_shndx = 1;
  entry.st_size = data.size();
  appendBytes(symbols, entry);

  std::vector<Elf64_Shdr> sections(1, Elf64_Shdr{});
  auto add = [&](llvm::StringRef name, uint32_t type, uint64_t flags, llvm::StringRef contents,
                 uint64_t align) {
    body.append(llvm::alignTo(body.size(), align) - body.size(), '\0');
    Elf64_Shdr header = {};
    header.sh_name = nameOf(name);
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    header.sh_size = contents.size();
    header.sh_addralign = align;
    body += contents;
    sections.push_back(header);
  };
  static_assert(sizeof(Elf64_Ehdr) % 16 == 0);
  add(".rodata", SHT_PROGBITS, SHF_ALLOC, data, 16);
  add(".symtab", SHT_SYMTAB, 0, symbols, 8);
  sections.back().sh_link = 3;
  sections.back().sh_info = 1; // the first symbol that is global
  sections.back().sh_entsize = sizeof(Elf64_Sym);
  add(".strtab", SHT_STRTAB, 0, symbolNames, 1);
  add(".shstrtab", SHT_STRTAB, 0, names, 1);
  add(".note.GNU-stack", SHT_PROGBITS, 0, "", 1); // the stack is not executable
  body.append(llvm::alignTo(body.size(), 8) - body.size(), '\0');

  std::string object;
  appendBytes(object, describeObject(body.size(), sections.size()));
  object += body;
  for (const Elf64_Shdr &section : sections)
    appendBytes(object, section);
  return object;
}

//===----------------------------------------------------------------------===//
// The archive
//===----------------------------------------------------------------------===//

llvm::Error build::compileSource(const BuildRequest &request, const std::string &name) {
  std::string source = request.folder + "/" + name + ".c";
  ProgramCall call{.program = request.compiler, .arguments = {"-O2", "-fPIC"}};
  call.arguments.insert(call.arguments.end(), request.compilerFlags.begin(),
                        request.compilerFlags.end());
  for (const std::string &word :
       {std::string("-c"), source, std::string("-o"), request.folder + "/objects/" + name + ".o"})
    call.arguments.push_back(word);
  llvm::Expected<ProgramResult> result = runProgram(call);
  if (!result)
    return result.takeError();
  if (!result->succeeded())
    return makeError("the C compiler '" + request.compiler + "' fails on '" + source +
                     "': " + result->describe() + "\n" + llvm::StringRef(result->err).rtrim());
  return llvm::Error::success();
}

llvm::Expected<std::string> build::makeArchive(const BuildRequest &request, const std::string &name,
                                               llvm::ArrayRef<BuildItem> items) {
  if (llvm::Error error = compileSource(request, name))
    return std::move(error);
  llvm::Expected<std::string> compiled = readFile(request.folder + "/objects/" + name + ".o");
  if (!compiled)
    return compiled.takeError();
  std::vector<llvm::NewArchiveMember> members;
  std::vector<std::string> names; // which members point to
  names.reserve(items.size() + 1);
  auto add = [&](std::string member, llvm::StringRef bytes) {
    names.push_back(std::move(member));
    members.emplace_back(llvm::MemoryBufferRef(bytes, names.back()));
    members.back().Buf = llvm::MemoryBuffer::getMemBufferCopy(bytes, names.back());
    members.back().MemberName = names.back();
  };
  add(name + ".o", *compiled);
  for (const BuildItem &item : items) {
    std::string member = item.fileName.substr(item.fileName.find('/') + 1) + ".o";
    add(std::move(member),
        item.isHostCode ? item.binary : writeDataObject(item.symbol, item.binary));
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive =
      llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                 llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                 /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}
