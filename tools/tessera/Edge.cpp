//===- Edge.cpp - what the command line learns from its surroundings ------===//
#include "Edge.h"
#include "tessera/Driver/DefaultSession.h"
#include "tessera/Source/Printable.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Subprocess.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace tessera;
using namespace tessera::cli;

std::string cli::variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static Variables variables() { return Variables(currentEnvironment()); }

std::string cli::cacheFolder(const Arguments &arguments) {
  if (arguments.has("no-cache"))
    return "";
  return arguments.has("cache-dir") ? arguments.get("cache-dir") : defaultCacheFolder(variables());
}

/// The tools that the command line may replace. Options hold on to these strings.
static llvm::ArrayRef<ToolRole> toolsWithOptions() {
  static const llvm::SmallVector<ToolRole> roles = [] {
    llvm::SmallVector<ToolRole> all = listTools();
    llvm::erase_if(all, [](const ToolRole &role) { return role.help.empty(); });
    return all;
  }();
  return roles;
}

/// Says once for each program that a compilation waits for, after two seconds and only on a
/// terminal, what is going on.
static bool tellWork(const std::string &work, double seconds) {
  static constexpr double kLong = 2;
  static thread_local double last = 0;
  if (last < kLong && seconds >= kLong && isTerminal(stderr))
    std::fprintf(stderr, "tessera: waiting for %s\n", work.c_str());
  last = seconds;
  return true;
}

/// The defaults with what the arguments choose in their place.
static llvm::Expected<SessionOptions> chooseSession(const Arguments &arguments) {
  SessionOptions options = defaultSession(variables());
  options.cacheFolder = cacheFolder(arguments);
  if (!arguments.has("no-cache"))
    if (llvm::Error error = setCacheOptions(options, variables()))
      return error;
  options.tools.watch = tellWork;
  for (const ToolRole &role : toolsWithOptions()) {
    if (!arguments.has(role.name))
      continue;
    std::string path = arguments.get(role.name);
    if (!llvm::sys::fs::is_regular_file(path) || !llvm::sys::fs::can_execute(path))
      return makeError("--" + role.name + ": '" + path + "' is not a program that can be run");
    options.tools.paths[role.name] = path;
  }
  return options;
}

llvm::Expected<ToolPaths> cli::chooseTools(const Arguments &arguments) {
  llvm::Expected<SessionOptions> options = chooseSession(arguments);
  if (!options)
    return options.takeError();
  return options->tools;
}

std::vector<Option> cli::edgeOptions() {
  static constexpr llvm::StringLiteral kGroup = "tools and cache";
  std::vector<Option> options;
  for (const ToolRole &role : toolsWithOptions())
    options.push_back({role.name, "", "FILE", role.help, kGroup});
  options.push_back({"cache-dir", "", "DIR", "where compiled kernels are kept", kGroup});
  options.push_back({"no-cache", "", "", "compile anew and keep nothing", kGroup});
  return options;
}

llvm::Expected<Session> cli::openSession(const Arguments &arguments) {
  llvm::Expected<SessionOptions> options = chooseSession(arguments);
  if (!options)
    return options.takeError();
  const std::string &folder = options->cacheFolder;
  if (arguments.has("cache-dir") && llvm::sys::fs::exists(folder) &&
      !llvm::sys::fs::is_directory(folder))
    return makeError("--cache-dir: '" + folder + "' is not a folder");
  if (llvm::Error error = arguments.apply(options->debug))
    return error;
  return Session(std::move(*options));
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
