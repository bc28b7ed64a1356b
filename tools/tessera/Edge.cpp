//===- Edge.cpp - what the command line learns from its surroundings ------===//
#include "Edge.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/FindTool.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace tessera;
using namespace tessera::cli;

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string cli::cacheFolder(const Arguments &arguments) {
  if (arguments.has("no-cache"))
    return "";
  if (arguments.has("cache-dir"))
    return arguments.get("cache-dir");
  for (const char *name : {"TESSERA_CACHE_DIR", "TRITON_CACHE_DIR"})
    if (std::string folder = variable(name); !folder.empty())
      return folder;
  if (std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/tessera";
  std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/tessera";
}

ToolPaths cli::findTools(const Arguments &arguments) {
  ToolSearch search;
  search.path = variable("PATH");
  for (const char *name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::string folder = variable(name); !folder.empty())
      search.toolkits.push_back(folder);
  ToolPaths tools;
  auto find = [&](llvm::StringRef name, llvm::StringRef option) {
    ToolSearch each = search;
    each.explicitPath = option.str();
    llvm::Expected<std::string> path = findTool(name, each);
    if (path)
      return *path;
    llvm::consumeError(path.takeError()); // the stage that needs it says so
    return std::string();
  };
  std::string ptxas = arguments.get("ptxas");
  for (const char *name : {"TESSERA_PTXAS_PATH", "TRITON_PTXAS_PATH"})
    ptxas = ptxas.empty() ? variable(name) : ptxas;
  tools.ptxas = find("ptxas", ptxas);
  tools.disassembler = find("nvdisasm", "");
  if (tools.disassembler.empty())
    tools.disassembler = find("cuobjdump", "");
  llvm::Expected<std::string> library = findToolkitFile("nvvm/libdevice/libdevice.10.bc", search);
  if (library)
    tools.libdevice = *library;
  else
    llvm::consumeError(library.takeError());
  return tools;
}

std::vector<Option> cli::edgeOptions() {
  return {{"ptxas", "", "PATH", "the assembler to use instead of the one found"},
          {"cache-dir", "", "DIR", "where compiled kernels are kept"},
          {"no-cache", "", "", "compile anew and keep nothing"}};
}

llvm::Expected<Session> cli::openSession(const Arguments &arguments) {
  SessionOptions options;
  if (arguments.has("ptxas") && findTools(arguments).ptxas.empty())
    return makeError("--ptxas: '" + arguments.get("ptxas") + "' is not a program that can be run");
  options.tools = findTools(arguments);
  options.cacheFolder = cacheFolder(arguments);
  if (variable("TESSERA_CACHE_TRUST") == "all")
    options.cacheTrust = CacheTrust::AllUsers;
  if (arguments.has("cache-dir") && llvm::sys::fs::exists(options.cacheFolder) &&
      !llvm::sys::fs::is_directory(options.cacheFolder))
    return makeError("--cache-dir: '" + options.cacheFolder + "' is not a folder");
  if (llvm::Error error = arguments.apply(options.debug))
    return error;
  return Session(std::move(options));
}

static ColorRequest colorRequest() {
  ColorRequest request;
  request.noColor = !variable("NO_COLOR").empty();
  std::string terminal = variable("TERM");
  request.dumbTerminal = terminal.empty() || terminal == "dumb";
  return request;
}

Palette cli::palette(FILE *stream) { return choosePalette(stream, colorRequest()); }

void cli::printDiagnostics(const DiagnosticEngine &diagnostics) {
  RenderOptions options;
  options.color = !palette(stderr).reset.empty();
  std::fputs(diagnostics.render(options).c_str(), stderr);
}

int cli::failure(llvm::Error error, int status) {
  Palette colors = palette(stderr);
  llvm::StringRef kind = status == kUnsupported ? "unsupported:" : "error:";
  std::string text = ("tessera: " + colors.bold + colors.red + kind + colors.reset + " " +
                      escapeUnprintable(llvm::toString(std::move(error))) + "\n")
                         .str();
  std::fputs(text.c_str(), stderr);
  return status;
}

int cli::usageError(llvm::Error error) {
  int status = isUnsupported(error) ? kUnsupported : kUsageError;
  return failure(std::move(error), status);
}
int cli::usageError(const llvm::Twine &message) { return usageError(makeError(message)); }
