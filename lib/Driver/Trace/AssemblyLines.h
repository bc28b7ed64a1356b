//===- AssemblyLines.h - which source line an instruction comes from ------===//
// Assembly carries its line table as directives (`.file 1 "k.py"`, `.loc 1 12 5`), and a
// disassembly as comments (`//## File "k.py", line 12`). Both hold until the next one. This reads
// them and leaves them out of the text, so that a listing shows instructions alone.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tessera {

struct AssemblyLine {
  llvm::StringRef text;     // as it is in the listing
  llvm::StringRef mnemonic; // "ld.global.v4.b32"; empty for labels, directives and comments
  std::string path;         // of the source file
  unsigned line = 0;        // from 1; 0 for none
};

/// Refers to `text`, which must outlive the result. Cost: linear.
std::vector<AssemblyLine> readAssemblyLines(llvm::StringRef text);

} // namespace tessera
