//===- Index.h - NAME.json: what a library holds --------------------------===//
// For people, for programs that load the binaries themselves, and for the next
// build, which takes from it what has not changed (docs/shipping.md).
//===----------------------------------------------------------------------===//
#pragma once

#include "BuildItem.h"
#include "tessera/Launch/KernelLibrary.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace tessera::build {

/// A file of the library, with its digest.
struct OutputFile {
  std::string name; // in the folder
  uint64_t bytes = 0;
  std::string sha256;
};

struct Index {
  const Manifest &manifest;
  llvm::ArrayRef<BuildItem> items;
  llvm::ArrayRef<LibraryInterface> interfaces;
  std::vector<OutputFile> outputs;
  std::string archiveKey; // what the archive was made from
};

std::string writeIndex(const Index &index);

/// The index of an earlier build.
class EarlierIndex {
public:
  /// Nothing is known if `folder` has no such file, or another Tessera wrote it. Paths in it start
  /// at the folder of the manifest.
  EarlierIndex(const std::string &folder, const Manifest &manifest);

  /// Takes a binary that was made from the same files in the same way.
  bool reuse(BuildItem &item) const;
  std::string archiveKey() const;
  std::string digestOf(llvm::StringRef output) const;

private:
  std::string folder, manifestFolder;
  llvm::json::Value root = nullptr;
  std::map<std::string, const llvm::json::Object *> binaries; // by file name
};

} // namespace tessera::build
