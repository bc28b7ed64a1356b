//===- LinkInput.h - the object file that the linker reads ----------------===//
// An object file with every offset, index and size checked, so that the linker
// can use them without thought.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace tessera::amd {

struct LinkRelocation {
  uint64_t offset; // in the section
  uint32_t type;
  uint32_t symbol; // its index
  int64_t addend;
};

struct LinkSection {
  llvm::StringRef name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t size = 0;
  uint64_t align = 1;
  uint64_t entrySize = 0;
  llvm::ArrayRef<uint8_t> contents = {}; // empty for a section of zeros
  std::vector<LinkRelocation> relocations = {};

  bool isLoaded() const;
  bool hasContents() const;
  /// Equal entries may be stored once.
  bool isMergeable() const;
};

struct LinkSymbol {
  llvm::StringRef name;
  uint8_t info = 0;  // binding and type
  uint8_t other = 0; // visibility
  /// The index of its section, or SHN_ABS; SHN_UNDEF if it is not defined.
  uint32_t section = 0;
  uint64_t value = 0;
  uint64_t size = 0;

  bool isLocal() const;
  bool isSection() const;
  /// Other code objects, and the loader, may see it.
  bool isExported() const;
};

struct LinkInput {
  std::vector<LinkSection> sections; // by their index in the file; the first is empty
  std::vector<LinkSymbol> symbols;   // likewise
  uint32_t flags = 0;                // the chip, and its modes
  uint8_t osABI = 0, abiVersion = 0;
};

/// Reads and checks an object file. The result refers to `object`.
llvm::Expected<LinkInput> readLinkInput(llvm::StringRef object);

/// "R_AMDGPU_REL64"
llvm::StringRef relocationName(uint32_t type);

} // namespace tessera::amd
