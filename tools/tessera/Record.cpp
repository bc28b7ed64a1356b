//===- Record.cpp - tessera record ----------------------------------------===//
// Runs a program with TESSERA_RECORD set, by which the Python package writes the
// kernels that the program launches to a folder (python/tessera/runtime/record.py),
// and says how many there are.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace tessera;
using namespace tessera::cli;

/// Runs a program with this process's streams; returns its exit status, 128 more than a signal's
/// number, or an error if it cannot be started.
static llvm::Expected<int> runRecorded(llvm::ArrayRef<const char *> command,
                                       const std::string &folder) {
  // Ctrl-C is for the program; its end ends us.
  auto *interrupt = ::signal(SIGINT, SIG_IGN), *quit = ::signal(SIGQUIT, SIG_IGN);
  pid_t child = ::fork();
  if (child < 0)
    return makeError("record: no process can be started");
  if (child == 0) {
    ::signal(SIGINT, interrupt);
    ::signal(SIGQUIT, quit);
    ::setenv("TESSERA_RECORD", folder.c_str(), /*overwrite=*/1);
    std::vector<char *> arguments;
    for (const char *each : command)
      arguments.push_back(const_cast<char *>(each));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  ::signal(SIGINT, interrupt);
  ::signal(SIGQUIT, quit);
  if (WIFSIGNALED(status))
    return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status) == 127)
    return makeError("record: '" + llvm::Twine(command[0]) + "' cannot be run");
  return WEXITSTATUS(status);
}

/// "recorded/kernels.toml: 2 kernels, 3 variants launched, 27 more that other values may need"
static std::string summarize(const std::string &path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return "no kernel was recorded; does the program import tessera? Programs that import triton "
           "run "
           "with python -m tessera";
  }
  size_t kernels = 0, launched = 0, others = 0;
  for (llvm::StringRef line : llvm::split(*text, '\n')) {
    kernels += line.starts_with("[[kernel]]");
    if (line.starts_with("  { "))
      ++(line.contains(", because = ") ? others : launched);
  }
  return llvm::formatv(
      "{0}: {1} kernel{2}, {3} variant{4} launched, {5} more that other values may "
      "need",
      path, kernels, kernels == 1 ? "" : "s", launched, launched == 1 ? "" : "s", others);
}

int cli::runRecord(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = {
      {"out-path", "o", "DIR", "the folder that is written, or added to; default recorded"}};
  auto *end = llvm::find_if(argv, [](const char *each) { return llvm::StringRef(each) == "--"; });
  llvm::Expected<Arguments> arguments =
      parseArguments(argv.take_front(size_t(end - argv.begin())), options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(helpText("record [-o DIR] -- PROGRAM [arguments]",
                        "Runs a program and records the kernels that it launches from Python: "
                        "DIR/kernels.toml has their signatures, options and counts, DIR/programs "
                        "the sources. Several runs add up. docs/shipping.md describes the files.",
                        options)
                   .c_str(),
               stdout);
    return kDone;
  }
  llvm::ArrayRef<const char *> command = argv.drop_front(size_t(end - argv.begin()));
  if (!arguments->positional.empty() || command.size() < 2)
    return usageError("record needs a program after --: tessera record -o recorded -- python "
                      "serve.py");
  llvm::SmallString<128> folder(arguments->get("out-path", "recorded"));
  llvm::sys::fs::make_absolute(folder);
  llvm::Expected<int> status = runRecorded(command.drop_front(), folder.str().str());
  if (!status)
    return failure(status.takeError(), kUsageError);
  std::string shown = arguments->get("out-path", "recorded");
  std::fprintf(stderr, "%s\n", summarize(shown + "/kernels.toml").c_str());
  return *status;
}
