//===- Linker.h - from a kernel's object file to a code object ------------===//
// ROCm's loader takes a shared library, the code object (HSACO). It needs little
// of a linker: one object file comes in, sections are placed, a few relocations
// are resolved, and tables of symbols are written. lld can only be linked in as a
// shared library with another copy of LLVM, so this is done here.
//
//   .amdgcn  --assembleObject-->  object  --linkCodeObject-->  .hsaco
//
// The loaded segments equal those of `ld.lld -shared`, byte for byte, apart from
// the place of the section headers in the ELF header (scripts/check-linker).
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera::amd {

/// Links one relocatable object file of an AMD GPU. Nothing about `object` is trusted: sections,
/// symbols and relocations that are out of range or that a kernel does not need are errors.
llvm::Expected<std::string> linkCodeObject(llvm::StringRef object);

} // namespace tessera::amd
