//===- Parse.cpp - tessera parse ------------------------------------------===//
// tessera parse FILE... checks syntax and prints what is wrong; with --dump it
// prints the tree as CPython's ast.dump does.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Source/AST.h"
#include "tessera/Source/Dump.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::cli;

static int parseFile(const std::string &path, bool dumping, const DumpOptions &options) {
  DiagnosticEngine diagnostics;
  auto file = SourceFile::load(path, diagnostics);
  auto module = file ? parseModule(*file, diagnostics) : nullptr;
  printDiagnostics(diagnostics);
  if (!module)
    return kProgramError;
  if (dumping)
    llvm::outs() << dump(*module, options) << "\n";
  return kDone;
}

int cli::runParse(llvm::ArrayRef<const char *> argv) {
  const std::vector<Option> options = {
      {"dump", "", "", "print the tree, as ast.dump(tree, indent=2) does"},
      {"locations", "", "", "with the lines and columns of every node"},
      {"help", "h", "", "this text"},
  };
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    llvm::outs() << helpText("parse FILE... [--dump]", "Checks that files are Python 3.12.",
                             options);
    return kDone;
  }
  if (arguments->positional.empty())
    return usageError("parse needs a file");
  DumpOptions dumpOptions;
  dumpOptions.attributes = arguments->has("locations");
  dumpOptions.indent = 2;
  int status = kDone;
  for (const std::string &path : arguments->positional)
    status = std::max(status, parseFile(path, arguments->has("dump"), dumpOptions));
  return status;
}
