//===- Build.cpp - tessera build ------------------------------------------===//
// Makes a library of kernels from a manifest, on all processors. Progress is one
// line that is written over, and only where somebody is looking.
//===----------------------------------------------------------------------===//
#include "tessera/Build/Build.h"
#include "Edge.h"
#include "Jobs.h"
#include "Subcommands.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include <chrono>

using namespace tessera;
using namespace tessera::cli;

static std::vector<Option> buildOptions() {
  std::vector<Option> options = {
      {"out-path", "o", "DIR", "the folder of the library; default ."},
      {"name", "", "NAME", "the library's name instead of the manifest's"},
      {"jobs", "j", "N", "compilations at once; default one for each processor"},
      {"target", "t", "LIST", "targets instead of the manifest's, separated by commas"},
      {"cc", "", "PATH", "the C compiler for libNAME.a; default $CC, cc, gcc or clang"},
      {"cflags", "", "TEXT", "more words for its command line"},
      {"no-archive", "", "", "write everything but libNAME.a, which needs a C compiler"},
      {"rebuild", "", "", "compile everything anew"},
      {"quiet", "q", "", "print errors alone"}};
  llvm::append_range(options, edgeOptions());
  return options;
}

static llvm::Expected<std::string> findCompiler(const Arguments &arguments) {
  if (arguments.has("no-archive"))
    return "";
  std::vector<std::string> names = {"cc", "gcc", "clang"};
  std::string chosen = arguments.get("cc", variable("CC"));
  if (!chosen.empty())
    names = {chosen};
  for (const std::string &name : names)
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name);
        path && llvm::sys::fs::can_execute(*path))
      return *path;
  if (!chosen.empty())
    return makeError((arguments.has("cc") ? "--cc: '" : "CC: '") + chosen +
                     "' is not a program that can be run");
  return makeUnsupported("libNAME.a needs a C compiler, and there is no cc, gcc or clang; name one "
                         "with --cc, or write the sources and binaries alone with --no-archive");
}

static llvm::Expected<BuildRequest> readRequest(const Arguments &arguments) {
  BuildRequest request;
  if (arguments.positional.size() != 1)
    return makeError(arguments.positional.empty()
                         ? llvm::Twine("build needs a MANIFEST; see tessera build --help")
                         : "build takes one MANIFEST, not '" +
                               llvm::Twine(arguments.positional[1]) + "' too");
  request.manifest = arguments.positional[0];
  request.name = arguments.get("name");
  request.folder = arguments.get("out-path", ".");
  if (request.folder.size() > 1)
    request.folder = llvm::StringRef(request.folder).rtrim('/').str();
  if (request.folder.empty())
    return makeError("--out-path: empty; write a folder");
  if (llvm::sys::fs::exists(request.folder) && !llvm::sys::fs::is_directory(request.folder))
    return makeError("--out-path: '" + request.folder + "' is not a folder");
  if (llvm::Error error = readJobOptions(arguments, "target", request.targets, request.jobs))
    return error;
  llvm::Expected<std::string> compiler = findCompiler(arguments);
  if (!compiler)
    return compiler.takeError();
  request.compiler = std::move(*compiler);
  std::string flags = arguments.get("cflags");
  for (llvm::StringRef word : llvm::split(flags, ' '))
    if (!word.empty())
      request.compilerFlags.push_back(word.str());
  return request;
}

static void printResult(const BuildResult &result, double seconds) {
  auto plural = [](size_t count, llvm::StringRef noun) {
    return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s").str();
  };
  if (result.isUpToDate) {
    std::printf("%s is up to date\n", result.library.c_str());
    return;
  }
  std::string binaries =
      llvm::formatv("{0} binar{1}", result.binaries, result.binaries == 1 ? "y" : "ies");
  std::printf("%s: %s%s, %s, %zu compiled, %.1f s\n", result.library.c_str(),
              result.bytes ? (formatBytes(result.bytes) + ", ").c_str() : "",
              plural(result.kernels, "kernel").c_str(), binaries.c_str(), result.compiled, seconds);
}

int cli::runBuild(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = buildOptions();
  llvm::Expected<Arguments> arguments = parseArguments(readJobs(argv), options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(helpText("build MANIFEST [options]",
                        "Makes a C library of kernels: libNAME.a, NAME.h and NAME.json, with code "
                        "for every target that the manifest names. docs/shipping.md describes the "
                        "manifest.",
                        options)
                   .c_str(),
               stdout);
    return kDone;
  }
  llvm::Expected<BuildRequest> request = readRequest(*arguments);
  if (!request)
    return usageError(request.takeError());
  llvm::Expected<Session> session = openSession(*arguments);
  if (!session)
    return usageError(session.takeError());
  if (arguments->has("rebuild")) {
    SessionOptions settings = session->settings();
    settings.alwaysCompile = true;
    session = Session(std::move(settings));
  }
  bool isQuiet = arguments->has("quiet");
  bool showsProgress = isTerminal(stderr) && !isQuiet;
  if (showsProgress)
    request->progress = showProgress;
  auto begin = std::chrono::steady_clock::now();
  DiagnosticEngine diagnostics;
  std::optional<BuildResult> result = buildLibrary(*session, *request, diagnostics);
  if (showsProgress)
    std::fputs("\r\033[K", stderr);
  printDiagnostics(diagnostics);
  if (!result)
    return exitStatus(diagnostics);
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!isQuiet)
    printResult(*result, elapsed.count());
  return kDone;
}
