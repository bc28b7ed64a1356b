//===- FindTool.cpp - where an external program or library is -------------===//
#include "tessera/Support/FindTool.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>

namespace tessera {

namespace fs = llvm::sys::fs;

static bool isProgram(const std::string &path) {
  return fs::is_regular_file(path) && fs::can_execute(path);
}

/// "kit-13.0" -> {13, 0}; a plain "kit", the system's choice, sorts before all.
static std::pair<unsigned, unsigned> toolkitVersion(llvm::StringRef name, llvm::StringRef kit) {
  if (!name.consume_front(kit) || !name.consume_front("-"))
    return {~0u, 0};
  unsigned major = 0, minor = 0;
  name.consumeInteger(10, major);
  if (name.consume_front("."))
    name.consumeInteger(10, minor);
  return {major, minor};
}

/// <root>/kit, then <root>/kit-X.Y from the newest.
static std::vector<std::string> systemToolkits(const ToolSearch &search) {
  std::vector<std::string> names;
  const std::string &root = search.systemRoot, &kit = search.systemToolkit;
  if (kit.empty())
    return names;
  std::error_code code;
  for (fs::directory_iterator it(root, code), end; !code && it != end; it.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name == kit || name.starts_with(kit + "-"))
      names.push_back(name.str());
  }
  std::sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
    return toolkitVersion(a, kit) > toolkitVersion(b, kit);
  });
  for (std::string &name : names)
    name = root + "/" + name;
  return names;
}

static llvm::SmallVector<llvm::StringRef> splitPath(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef> folders;
  path.split(folders, ':', -1, /*KeepEmpty=*/false);
  return folders;
}

llvm::Expected<std::string> findTool(llvm::StringRef name, const ToolSearch &search) {
  if (!search.explicitPath.empty()) {
    if (isProgram(search.explicitPath))
      return search.explicitPath;
    return makeError(
        "'" + search.explicitPath + "', given for " + name + ", " +
        (fs::exists(search.explicitPath) ? "is not a program that can be run" : "does not exist"));
  }
  for (llvm::StringRef folder : splitPath(search.path))
    if (std::string candidate = (folder + "/" + name).str(); isProgram(candidate))
      return candidate;
  std::vector<std::string> toolkits = search.toolkits;
  llvm::append_range(toolkits, systemToolkits(search));
  llvm::append_range(toolkits, search.packages);
  for (const std::string &toolkit : toolkits)
    for (const char *folder : {"/bin/", "/"})
      if (std::string candidate = toolkit + folder + name.str();
          !toolkit.empty() && isProgram(candidate))
        return candidate;
  std::string looked = "PATH";
  for (const std::string &toolkit : search.toolkits)
    if (!toolkit.empty())
      looked += ", " + toolkit + "/bin";
  return makeError("no " + name + " was found in " + looked + " or " + search.systemRoot + "/" +
                   search.systemToolkit + "*/bin");
}

llvm::Expected<std::string> findToolkitFile(llvm::StringRef relativePath,
                                            const ToolSearch &search) {
  if (!search.explicitPath.empty()) {
    if (fs::is_regular_file(search.explicitPath))
      return search.explicitPath;
    return makeError("'" + search.explicitPath + "' is not a file");
  }
  std::vector<std::string> roots = search.toolkits;
  for (llvm::StringRef folder : splitPath(search.path))
    if (llvm::sys::path::filename(folder) == "bin")
      roots.push_back(llvm::sys::path::parent_path(folder).str());
  llvm::append_range(roots, systemToolkits(search));
  llvm::append_range(roots, search.packages);
  for (const std::string &root : roots)
    if (std::string candidate = root + "/" + relativePath.str();
        !root.empty() && fs::is_regular_file(candidate))
      return candidate;
  return makeError("no " + relativePath + " was found in a toolkit of PATH, the environment or " +
                   search.systemRoot + "/" + search.systemToolkit + "*");
}

std::string identifyFile(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status))
    return "none";
  return llvm::formatv("{0} {1} {2}", path, status.getSize(),
                       status.getLastModificationTime().time_since_epoch().count());
}

} // namespace tessera
