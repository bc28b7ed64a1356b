//===- CacheKey.h - what makes two compilations the same ------------------===//
// A hash over everything that decides the code: the text of every source the
// compilation read, the kernel's name, its signature with hints, the semantic
// options, the target and its tools, and this build of Tessera. Debug options
// and file names are not in it: the same text elsewhere is the same kernel,
// unless line tables put the path into the binary.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tessera {

struct CacheKeyInputs {
  /// The contents read, in the order read: the kernel's file first, then the
  /// modules it imported. Host values that the source asked for go here too.
  std::vector<llvm::StringRef> sources;
  llvm::StringRef sourcePath; // counts only with options.lineInfo
  llvm::StringRef kernelName;
  std::vector<llvm::StringRef> signature; // entries as written: "*fp32:16", "i32", "64"
  const CompileOptions &options;
  llvm::StringRef targetName;    // Target::name()
  llvm::StringRef targetText;    // Target::cacheText()
  llvm::StringRef buildIdentity; // getBuildIdentity()
};

/// 64 hex digits.
std::string computeCacheKey(const CacheKeyInputs &inputs);

} // namespace tessera
