//===- Subcommands.h - one function per subcommand ------------------------===//
// Each takes the arguments after its name and returns the exit status.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace tessera::cli {

int runCompile(llvm::ArrayRef<const char *> arguments);
int runBuild(llvm::ArrayRef<const char *> arguments);
int runPack(llvm::ArrayRef<const char *> arguments);
int runLink(llvm::ArrayRef<const char *> arguments);
int runRun(llvm::ArrayRef<const char *> arguments);
int runRecord(llvm::ArrayRef<const char *> arguments);
int runTune(llvm::ArrayRef<const char *> arguments);
int runExplain(llvm::ArrayRef<const char *> arguments);
int runLab(llvm::ArrayRef<const char *> arguments);
int runTargets(llvm::ArrayRef<const char *> arguments);
int runParse(llvm::ArrayRef<const char *> arguments);
int runVersion(llvm::ArrayRef<const char *> arguments);
int runCache(llvm::ArrayRef<const char *> arguments);

} // namespace tessera::cli
