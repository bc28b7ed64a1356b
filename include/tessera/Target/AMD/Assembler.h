//===- Assembler.h - from AMDGCN assembly to an object file ---------------===//
// LLVM's assembler, in this process. The text may be a file that a person wrote
// (.amdgcn), and may hold inline assembly of a kernel, so everything in it can be
// wrong: problems are collected, with their lines, and nothing is printed.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/AMD/Spec.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tessera::amd {

struct AssemblyProblem {
  unsigned line = 0, column = 0; // from 1; 0 unknown
  std::string message = {};
  std::string text = {}; // of the line
};

/// Returns an ELF object file; nothing if there were problems, which are added to the list.
std::optional<std::string> assembleObject(llvm::StringRef assembly, const AmdSpec &spec,
                                          llvm::SmallVectorImpl<AssemblyProblem> &problems);

} // namespace tessera::amd
