//===- Parse.cpp - tessera parse ------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Source/AST.h"

using namespace tessera;

int cli::runParse(llvm::ArrayRef<const char *> arguments) {
  int status = kDone;
  for (const char *path : arguments) {
    DiagnosticEngine diagnostics;
    auto file = SourceFile::load(path, diagnostics);
    if (!file || !parseModule(*file, diagnostics))
      status = kProgramError;
    printDiagnostics(diagnostics);
  }
  return status;
}
