//===- Edge.h - what the command line learns from its surroundings --------===//
// The only place that reads the environment. Everything below gets values.
//===----------------------------------------------------------------------===//
#pragma once

#include "CommandLine.h"
#include "tessera/Driver/Session.h"
#include "tessera/Support/Terminal.h"

namespace tessera::cli {

/// The value of an environment variable; empty if it is not set.
std::string variable(const char *name);

/// Returns the folder of the kernel cache: --cache-dir, or the default, which Python uses too
/// (Driver/DefaultSession.h). Empty with --no-cache, or if there is no home folder.
std::string cacheFolder(const Arguments &arguments);

/// The tools that are found, and those that options name, which must be programs.
llvm::Expected<ToolPaths> chooseTools(const Arguments &arguments);

/// The options that chooseTools and cacheFolder read.
std::vector<Option> edgeOptions();

/// A session as the arguments want it.
llvm::Expected<Session> openSession(const Arguments &arguments);

Palette palette(FILE *stream);

/// Prints to stderr, coloured where somebody is looking.
void printDiagnostics(const DiagnosticEngine &diagnostics);
/// "tessera: error: ..." for mistakes in the command line; returns kUsageError.
int usageError(llvm::Error error);
int usageError(const llvm::Twine &message);
/// The same for failures that are not the command line's; returns `status`.
int failure(llvm::Error error, int status);

} // namespace tessera::cli
