//===- PythonCommands.cpp - tessera lab, tessera tune ---------------------===//
// Commands that are programs of the Python package: the lab compares operators
// with torch, and tuning launches kernels with the package's measurements. Each
// replaces this process by `python3 -m tessera.NAME`.
//
// TESSERA_PYTHON names the interpreter, else it is the `python3` of PATH. The
// package is the one beside this program, in the build folder, the archive and
// the wheel alike, so that both are of one build.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace tessera;
using namespace tessera::cli;

/// The folder that holds the package `tessera` of this build; empty if there is none.
static std::string packageFolder() {
  std::string program =
      llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&packageFolder));
  llvm::StringRef bin = llvm::sys::path::parent_path(program);
  for (llvm::StringRef relative : {"../python", "../.."}) {
    llvm::SmallString<256> folder(bin), module;
    llvm::sys::path::append(folder, relative);
    module = folder;
    llvm::sys::path::append(module, "tessera", "lab", "__main__.py");
    if (llvm::sys::fs::exists(module))
      return folder.str().str();
  }
  return "";
}

/// `needs` is what the command needs, for the message.
static llvm::Expected<std::string> findPython(llvm::StringRef needs) {
  std::string asked = variable("TESSERA_PYTHON");
  if (llvm::ErrorOr<std::string> path =
          llvm::sys::findProgramByName(asked.empty() ? "python3" : asked))
    return *path;
  if (!asked.empty())
    return makeError("TESSERA_PYTHON is '" + asked + "', and there is no such program");
  return makeError(needs + ", and there is no 'python3'; TESSERA_PYTHON names another interpreter");
}

/// Replaces this process by a module of the package; returns only if that fails.
static int runModule(const char *module, llvm::StringRef name, llvm::StringRef needs,
                     llvm::ArrayRef<const char *> arguments) {
  llvm::Expected<std::string> python = findPython(needs);
  if (!python)
    return failure(python.takeError(), kUnsupported);
  std::string package = packageFolder();
  if (package.empty())
    return failure(makeError("the Python package, of which " + name +
                             " is a part, is not installed beside this program"),
                   kUnsupported);
  std::string others = variable("PYTHONPATH");
  ::setenv("PYTHONPATH", (others.empty() ? package : package + ":" + others).c_str(), 1);
  std::vector<char *> command;
  for (const char *word : {python->c_str(), "-m", module})
    command.push_back(const_cast<char *>(word));
  for (const char *word : arguments)
    command.push_back(const_cast<char *>(word));
  command.push_back(nullptr);
  llvm::outs().flush();
  ::execv(python->c_str(), command.data());
  return failure(makeError("cannot start '" + *python + "': " + std::strerror(errno)),
                 kUnsupported);
}

int cli::runLab(llvm::ArrayRef<const char *> arguments) {
  return runModule("tessera.lab", "the lab", "the lab needs Python 3.9 or later with torch",
                   arguments);
}

int cli::runTune(llvm::ArrayRef<const char *> arguments) {
  return runModule("tessera.tune", "tune", "tune needs Python 3.9 or later", arguments);
}
