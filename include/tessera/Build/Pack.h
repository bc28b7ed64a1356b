//===- Pack.h - tessera pack: one file of kernels for many chips ----------===//
// Compiles every variant that a manifest asks for, on all processors and without a GPU,
// into a pack (Binary/PackView.h):
//
//   kernels of a recorded manifest     programs find them by PackKey.h
//   kernels of .py files               C programs find them by name
//   [[tuned]]                          what autotune chose
//
// A build that was interrupted goes on where it stopped, from the session's cache; a
// second build takes what has not changed from the pack itself.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/PackFile.h"
#include "tessera/Driver/Session.h"
#include <functional>

namespace tessera {

struct PackRequest {
  std::string manifest;
  std::string output;
  std::vector<std::string> targets = {}; // instead of the manifest's, unless empty
  unsigned jobs = 0;                     // compilations at once; 0: one for each processor
  std::optional<Ed25519KeyPair> keys = {};
  bool goesOn = false; // after variants that fail: they are left out
  /// Called when a variant is done; never by two threads at once.
  std::function<void(size_t done, size_t all, const std::string &what)> progress = {};
};

struct PackResult {
  size_t kernels = 0, variants = 0, choices = 0;
  size_t compiled = 0; // the others came from the cache or from an earlier pack
  size_t leftOut = 0;  // that other values may need, and that do not compile
  std::string whyLeftOut;
  uint64_t bytes = 0;
};

/// Nothing on failure; `diagnostics` then has the reasons, and exitStatus tells their kind.
std::optional<PackResult> buildPack(const Session &session, const PackRequest &request,
                                    DiagnosticEngine &diagnostics);

/// Adds the entries of packs in order; the first entry of a key stays, choices are joined.
llvm::Error mergePacks(llvm::ArrayRef<std::shared_ptr<const PackFile>> packs, PackWriter &writer);

/// A row of a manifest, and why a pack does not have it; empty if it has. `substitute` is the code
/// for another chip that serves: "cubin for cuda:80".
struct PackMiss {
  std::string kernel, signature, options, target, reason, substitute = {};
};

/// Looks up every row of a manifest, or one program file for `targets`.
std::optional<std::vector<PackMiss>> findMisses(const PackFile &pack, const std::string &path,
                                                llvm::ArrayRef<std::string> targets,
                                                const ToolPaths &tools,
                                                DiagnosticEngine &diagnostics);

} // namespace tessera
