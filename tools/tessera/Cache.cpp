//===- Cache.cpp - tessera cache: the compiled kernels on disk ------------===//
#include "Edge.h"
#include "Subcommands.h"
#include "tessera/Binary/CacheStore.h"
#include "tessera/Driver/DefaultSession.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::cli;

/// "cache/tessera: 12 kernels, 3 MiB"
static std::string describe(const CacheStore &store, const CacheStatistics &statistics) {
  return llvm::formatv("{0}: {1} kernel{2}, {3}", store.path(), formatCount(statistics.entries),
                       statistics.entries == 1 ? "" : "s", formatBytes(statistics.bytes));
}

static llvm::Expected<CacheStatistics> prune(const CacheStore &store, const Arguments &arguments) {
  llvm::Expected<uint64_t> limit = parseByteCount(arguments.get("limit"));
  return limit ? store.prune(*limit) : limit.takeError();
}

int cli::runCache(llvm::ArrayRef<const char *> argv) {
  std::vector<Option> options = {
      {"limit", "", "SIZE", "prune: the bytes that stay at most, as 500M or 10G"}};
  llvm::append_range(options, edgeOptions());
  llvm::Expected<Arguments> arguments = parseArguments(argv, options);
  if (!arguments)
    return usageError(arguments.takeError());
  if (arguments->has("help")) {
    llvm::outs() << helpText(
        "cache stat|clear|prune|verify [options]",
        "Prints how many compiled kernels are kept on disk; removes all of them; removes those "
        "that "
        "were not used for longest; or reads all of them, and removes damaged ones.",
        options);
    return kDone;
  }
  std::string action = arguments->positional.size() == 1 ? arguments->positional[0] : "";
  if (!llvm::is_contained({"stat", "clear", "prune", "verify"}, llvm::StringRef(action)))
    return usageError("cache takes 'stat', 'clear', 'prune' or 'verify'");
  if (action == "prune" && !arguments->has("limit"))
    return usageError("cache prune needs --limit, as in --limit 10G");
  std::string folder = cacheFolder(*arguments);
  if (folder.empty())
    return usageError("cache: no folder; give --cache-dir, or set TESSERA_CACHE_DIR or HOME");
  CacheStore store(folder);
  llvm::Expected<CacheStatistics> statistics = action == "clear"    ? store.clear()
                                               : action == "prune"  ? prune(store, *arguments)
                                               : action == "verify" ? store.verify()
                                                                    : store.stat();
  if (!statistics)
    return failure(statistics.takeError(), kProgramError);
  bool removes = action == "clear" || action == "prune";
  llvm::outs() << (removes ? "removed from " : "") << describe(store, *statistics);
  if (action == "verify")
    llvm::outs() << llvm::formatv(", intact; {0} damaged, removed", statistics->damaged);
  llvm::outs() << "\n";
  return kDone;
}
