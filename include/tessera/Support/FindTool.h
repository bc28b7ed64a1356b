//===- FindTool.h - where an external program or library is ---------------===//
// Search order: the path the user gave > PATH > the toolkit folders passed in
// (from variables) > the system's toolkits (/usr/local/kit and /usr/local/kit-X.Y, newest
// first) > packages. The environment is read at the edge and passed in, so two sessions
// can differ.
//
//   findTool("asm", search)           -> "/usr/local/kit-13.0/bin/asm"
//   findToolkitFile("lib/math.bc", search)
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera {

struct ToolSearch {
  std::string explicitPath;              // from an option; if set, nothing else is tried
  std::string path;                      // the value of PATH, colon-separated
  std::vector<std::string> toolkits;     // folders that hold bin/, from the environment
  std::string systemRoot = "/usr/local"; // where the system's toolkits lie
  std::string systemToolkit;             // what their folders' names start with: "kit"
  std::vector<std::string> packages;     // folders like `toolkits` that are tried last
};

/// The error lists where was looked and how to name the tool.
llvm::Expected<std::string> findTool(llvm::StringRef name, const ToolSearch &search);

/// A file inside a toolkit: beside the tools of PATH (bin/..), in the toolkit
/// folders, then in the system's toolkits and the packages.
llvm::Expected<std::string> findToolkitFile(llvm::StringRef relativePath, const ToolSearch &search);

/// Path, size and time of a file, for the cache key of what was made with it; "none" if there is no
/// such file.
std::string identifyFile(llvm::StringRef path);

} // namespace tessera
