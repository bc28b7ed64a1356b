//===- Jobs.h - commands that compile many kernels ------------------------===//
#pragma once

#include "CommandLine.h"

namespace tessera::cli {

/// `-j` without a number means all processors, and -j8 is -j 8, as make has it.
std::vector<const char *> readJobs(llvm::ArrayRef<const char *> argv);

/// Reads the targets of --OPTION, as the targets' own names, and --jobs.
llvm::Error readJobOptions(const Arguments &arguments, llvm::StringRef option,
                           std::vector<std::string> &targets, unsigned &jobs);

/// Writes over the line of the terminal.
void showProgress(size_t done, size_t all, const std::string &what);

} // namespace tessera::cli
