//===- PackBuild.cpp - tessera pack MANIFEST ------------------------------===//
#include "Edge.h"
#include "Jobs.h"
#include "Pack.h"
#include "tessera/Build/Pack.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>

using namespace tessera;
using namespace tessera::cli;

static std::vector<Option> packOptions() {
  std::vector<Option> options = {
      {"out-path", "o", "FILE", "the pack; default the manifest's name with .tpack"},
      {"targets", "t", "LIST", "targets instead of the manifest's, separated by commas"},
      {"jobs", "j", "N", "compilations at once; default one for each processor"},
      {"sign", "", "FILE", "sign the pack with this secret key (tessera pack keygen)"},
      {"keep-going", "k", "", "leave out launched variants that do not compile"},
      {"rebuild", "", "", "compile everything anew"},
      {"quiet", "q", "", "print errors alone"}};
  llvm::append_range(options, edgeOptions());
  return options;
}

static llvm::Expected<PackRequest> readRequest(const Arguments &arguments) {
  PackRequest request;
  constexpr llvm::StringLiteral commands = "ls, diff, verify, merge, explain-miss, header, keygen";
  if (arguments.positional.empty())
    return makeError("pack needs a MANIFEST, or one of " + commands + "; see tessera pack --help");
  if (arguments.positional.size() > 1)
    return makeError("pack takes one MANIFEST, not '" + llvm::Twine(arguments.positional[1]) +
                     "' too; '" + arguments.positional[0] + "' is none of " + commands);
  request.manifest = arguments.positional[0];
  if (llvm::StringRef name = request.manifest;
      name.find_first_of("./") == llvm::StringRef::npos && !llvm::sys::fs::exists(name))
    return makeError("'" + name + "' is neither a manifest nor one of " + commands);
  llvm::StringRef stem = request.manifest;
  stem.consume_back(".toml");
  request.output = arguments.get("out-path", stem.str() + ".tpack");
  request.goesOn = arguments.has("keep-going");
  if (llvm::Error error = readJobOptions(arguments, "targets", request.targets, request.jobs))
    return error;
  if (arguments.has("sign")) {
    llvm::Expected<Ed25519KeyPair> keys = readSecretKey(arguments.get("sign"));
    if (!keys)
      return keys.takeError();
    request.keys = *keys;
  }
  return request;
}

static void printResult(const PackRequest &request, const PackResult &result, double seconds) {
  auto plural = [](size_t count, llvm::StringRef noun) {
    return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s").str();
  };
  std::printf("%s: %s, %s, %s, %zu compiled, %.1f s%s\n", request.output.c_str(),
              formatBytes(result.bytes).c_str(), plural(result.kernels, "kernel").c_str(),
              plural(result.variants, "variant").c_str(), result.compiled, seconds,
              request.keys ? ", signed" : "");
  if (result.choices)
    std::printf("%s of autotune\n", plural(result.choices, "choice").c_str());
  if (result.leftOut)
    std::printf(
        "left out: %s that other values may need, as they do not compile; the first:\n  %s\n",
        plural(result.leftOut, "variant").c_str(), result.whyLeftOut.c_str());
}

int cli::runPackBuild(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = packOptions();
  llvm::Expected<Arguments> arguments = parseArguments(readJobs(argv), options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    std::fputs(
        helpText("pack MANIFEST [-o FILE] [options]\n"
                 "       tessera pack ls|verify PACK    tessera pack diff A B\n"
                 "       tessera pack merge -o FILE PACK...    tessera pack keygen FILE\n"
                 "       tessera pack header PACK -o FILE\n"
                 "       tessera pack explain-miss PACK MANIFEST",
                 "Compiles every variant of a manifest, which `tessera record` writes, for several "
                 "targets, into one file. Programs launch from it without compiling: "
                 "TESSERA_PACK=FILE, or tessera.load_pack(FILE). docs/packs.md tells more.",
                 options)
            .c_str(),
        stdout);
    return kDone;
  }
  llvm::Expected<PackRequest> request = readRequest(*arguments);
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
  bool isQuiet = arguments->has("quiet"), showsProgress = isTerminal(stderr) && !isQuiet;
  if (showsProgress)
    request->progress = showProgress;
  auto begin = std::chrono::steady_clock::now();
  DiagnosticEngine diagnostics;
  std::optional<PackResult> result = buildPack(*session, *request, diagnostics);
  if (showsProgress)
    std::fputs("\r\033[K", stderr);
  printDiagnostics(diagnostics);
  if (!result)
    return exitStatus(diagnostics);
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!isQuiet)
    printResult(*request, *result, elapsed.count());
  return kDone;
}
