//===- Link.cpp - tessera link --------------------------------------------===//
// Writes C functions that choose among the variants that `tessera compile` wrote.
// The flags are those of Triton's tools/link.py.
//===----------------------------------------------------------------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Launch/AotLink.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::cli;

static llvm::Error linkFiles(const Arguments &arguments) {
  std::vector<LinkHeader> headers;
  for (const std::string &path : arguments.positional) {
    llvm::Expected<std::string> text = readFile(path);
    if (!text)
      return text.takeError();
    headers.push_back({path, std::move(*text)});
  }
  std::string base = arguments.get("out");
  llvm::Expected<LinkedSources> linked =
      linkVariants(headers, llvm::sys::path::filename(base).str() + ".h", arguments.get("prefix"));
  if (!linked)
    return linked.takeError();
  llvm::Expected<PendingFile> header = PendingFile::open(base + ".h");
  if (!header)
    return header.takeError();
  llvm::Expected<PendingFile> source = PendingFile::open(base + ".c");
  if (!source)
    return source.takeError();
  if (llvm::Error error = header->write(linked->header))
    return error;
  if (llvm::Error error = source->write(linked->source))
    return error;
  if (llvm::Error error = header->commit())
    return error;
  return source->commit();
}

int cli::runLink(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = {
      {"out", "o", "PATH", "writes PATH.h and PATH.c"},
      {"prefix", "", "TEXT", "put in front of the names of all functions that are written"}};
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(
        helpText("link HEADER... -o PATH [options]",
                 "Writes C functions that choose among variants of kernels, by the arguments "
                 "and by the chip, from the headers that tessera compile wrote. tessera "
                 "build makes whole libraries.",
                 options)
            .c_str(),
        stdout);
    return kDone;
  }
  if (arguments->positional.empty())
    return usageError("link needs headers that tessera compile wrote; see tessera link --help");
  std::string out = arguments->get("out");
  if (out.empty() || llvm::StringRef(out).ends_with("/"))
    return usageError("--out: write the path of the files, without .c and .h");
  if (llvm::Error error = linkFiles(*arguments))
    return failure(std::move(error), kProgramError);
  return kDone;
}
