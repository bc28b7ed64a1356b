//===- Jobs.cpp - commands that compile many kernels ----------------------===//
#include "Jobs.h"
#include "Edge.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::cli;

std::vector<const char *> cli::readJobs(llvm::ArrayRef<const char *> argv) {
  std::vector<const char *> arguments;
  for (size_t i = 0; i < argv.size(); ++i) {
    llvm::StringRef text = argv[i];
    unsigned number;
    bool hasNumber = i + 1 < argv.size() && !llvm::StringRef(argv[i + 1]).getAsInteger(10, number);
    if (text == "-j" && !hasNumber)
      continue;
    if (text.starts_with("-j") && !text.drop_front(2).getAsInteger(10, number)) {
      arguments.push_back("-j");
      arguments.push_back(argv[i] + 2);
      continue;
    }
    arguments.push_back(argv[i]);
  }
  return arguments;
}

llvm::Error cli::readJobOptions(const Arguments &arguments, llvm::StringRef option,
                                std::vector<std::string> &targets, unsigned &jobs) {
  for (const std::string &name : splitList(arguments.get(option))) {
    llvm::Expected<std::unique_ptr<Target>> target = createTarget(name, {});
    if (!target)
      return target.takeError();
    if (!llvm::is_contained(targets, (*target)->name()))
      targets.push_back((*target)->name());
  }
  if (arguments.has("jobs")) {
    llvm::Expected<uint64_t> number = parseNumber("--jobs", arguments.get("jobs"), 1, 1024);
    if (!number)
      return number.takeError();
    jobs = unsigned(*number);
  }
  return llvm::Error::success();
}

void cli::showProgress(size_t done, size_t all, const std::string &what) {
  std::string line = llvm::formatv("[{0}/{1}] {2}", done, all, what);
  line.resize(std::min<size_t>(line.size(), terminalWidth(stderr) - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}
