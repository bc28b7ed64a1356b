//===- Version.cpp - version and build identity ---------------------------===//
// The build id is a note that the linker writes from the contents of what it
// links, so it changes with any change of the compiler. It is found through
// the program headers of whichever loaded object holds this very function:
// the program for the CLI, the shared library for Python.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace tessera {

llvm::StringRef getVersion() { return TESSERA_VERSION; }

namespace {
struct BuildIdSearch {
  uintptr_t address; // in the object that is looked for
  std::string buildId;
};
} // namespace

static bool contains(const dl_phdr_info &object, uintptr_t address) {
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - begin < segment.p_memsz)
      return true;
  }
  return false;
}

/// The description of the NT_GNU_BUILD_ID note in a PT_NOTE segment.
static std::string readBuildId(const char *notes, size_t size) {
  size_t offset = 0;
  while (offset + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + offset, sizeof(note));
    size_t nameAt = offset + sizeof(note);
    size_t dataAt = nameAt + ((size_t(note.n_namesz) + 3) & ~size_t(3));
    if (dataAt + note.n_descsz > size)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + nameAt, "GNU", 4) == 0)
      return llvm::toHex(llvm::StringRef(notes + dataAt, note.n_descsz), /*LowerCase=*/true);
    offset = dataAt + ((size_t(note.n_descsz) + 3) & ~size_t(3));
  }
  return "";
}

static int visitObject(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<BuildIdSearch *>(data);
  if (!contains(*object, search.address))
    return 0;
  for (unsigned i = 0; i < object->dlpi_phnum && search.buildId.empty(); ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.buildId = readBuildId(
          reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

/// When the linker wrote no build id: the file's size and time.
static std::string identifyFile(const void *address) {
  Dl_info info;
  struct stat status;
  if (!dladdr(address, &info) || !info.dli_fname)
    return "unknown";
  // The main program is named as it was called, which may be without a folder.
  if (stat(info.dli_fname, &status) != 0 && stat("/proc/self/exe", &status) != 0)
    return "unknown";
  return std::to_string(status.st_size) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

static std::string findBuildIdentity() {
  const void *here = reinterpret_cast<const void *>(&getBuildIdentity);
  BuildIdSearch search{reinterpret_cast<uintptr_t>(here), ""};
  dl_iterate_phdr(visitObject, &search);
  return getVersion().str() + "+" + (search.buildId.empty() ? identifyFile(here) : search.buildId);
}

const std::string &getBuildIdentity() {
  static const std::string identity = findBuildIdentity(); // of a process it never changes
  return identity;
}

} // namespace tessera
