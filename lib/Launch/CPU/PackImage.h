//===- PackImage.h - an object of a pack, linked into the process ---------===//
// What ObjectLoader.h does with LLVM's JITLink, for the library of packs, which has no
// LLVM: a relocatable ELF object for x86-64 is laid out in memory, relocated, and made
// executable. Calls into the C and maths libraries go through stubs, as they may be
// farther away than a call reaches.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

class PackImage {
public:
  using Function = int32_t (*)(const void *const *args, const uint32_t grid[3], uint64_t begin,
                               uint64_t end);
  PackImage() = default;
  PackImage(const PackImage &) = delete;
  ~PackImage();

  /// Null if the object is loaded; else what is wrong with it.
  const char *load(std::string_view object, std::string_view symbol);
  Function function() const { return entry; }

private:
  struct Sections;
  const char *place(Sections &sections);
  const char *relocate(Sections &sections, std::string_view symbol);

  char *memory = nullptr;
  size_t size = 0;
  Function entry = nullptr;
};

} // namespace tessera
