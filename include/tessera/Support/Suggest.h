//===- Suggest.h - the name that somebody probably meant ------------------===//
//   suggest("comple", {"compile", "run"})   "; did you mean 'compile'?"
//   suggest("frobnicate", {"compile"})      ""
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera {

/// Returns the known name that differs from `name` in the fewest letters: in a third of them at
/// most. An empty string if there is none.
std::string closestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// Returns the end of an error message that names the closest name, or an empty string.
std::string suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

} // namespace tessera
