//===- Outline.h - the structure of an IR module as JSON ------------------===//
// For hosts that look at a kernel's IR without linking MLIR: which operations it
// has, what flows between them, how they nest. tessera.h says what is written.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera {

/// `text` is what a .ttir or .ttgir file holds; `path` serves messages. Linear in its length.
llvm::Expected<std::string> outlineModule(llvm::StringRef text, llvm::StringRef path);

} // namespace tessera
